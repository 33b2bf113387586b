/// msgpack-c, as published: structs as maps, unpacked to an object tree that is then converted.
#include "any.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {

struct MsgpackC {
    using Buffer = msgpack::sbuffer;
    static constexpr wirelab::Limit cannot[] = {
        {"u128", "it has no adaptor for integers of 128 bits, so that nothing compiles"},
    };

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        buffer.clear();
        msgpack::pack(buffer, value);
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        const auto tree = unpacked(encoded);
        if constexpr (wirelab::keeps_bools<T>) {
            value = {};
        }
        tree.get().convert(value);
    }

    void encode_any(const wirelab::any::Value& value, Buffer& buffer) const {
        msgpack::packer to(buffer);
        for (const auto& item : value) {
            std::visit(wirelab::Pack{to}, item);
        }
    }

    wirelab::any::Value decode_any(const std::string& encoded) const {
        return wirelab::parts_of(unpacked(encoded).get());
    }

    static msgpack::object_handle unpacked(const std::string& encoded) {
        std::size_t end = 0;
        auto tree = msgpack::unpack(encoded.data(), encoded.size(), end);
        if (end != encoded.size()) {
            throw wirelab::Refused("bytes are left behind the message");
        }
        return tree;
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<MsgpackC>(
        {
            .codec = "cpp/msgpack-c",
            .format = "MessagePack",
            .library = "msgpack-c",
            .version = MSGPACK_VERSION,
            .api = "derive",
            .validation = true,
            .self_describing = true,
        },
        count, words);
}
