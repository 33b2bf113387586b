/// FlatBuffers through its object API: packed from and verified and unpacked to generated objects.
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace flat = wirelab::flat;

namespace {

struct FlatBuffers {
    using Buffer = flatbuffers::FlatBufferBuilder;

    static std::string_view bytes(const Buffer& buffer) {
        return {reinterpret_cast<const char*>(buffer.GetBufferPointer()), buffer.GetSize()};
    }

    static auto own(const auto& value) { return flat::object_of(value); }

    template <class T>
    static T shared(const flat::Object<T>& object) {
        T value{};
        flat::read_object(object, value);
        return value;
    }

    template <class Object>
    void encode(const Object& object, Buffer& buffer) const {
        buffer.Clear();
        buffer.Finish(Object::TableType::Pack(buffer, &object));
    }

    template <class Object>
    void decode(const std::string& encoded, Object& object) const {
        using Table = typename Object::TableType;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(encoded.data());
        if (!flatbuffers::Verifier(bytes, encoded.size()).VerifyBuffer<Table>()) {
            throw wirelab::Refused("the verifier refuses the buffer");
        }
        flatbuffers::GetRoot<Table>(bytes)->UnPackTo(&object);
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<FlatBuffers>(
        {
            .codec = "cpp/flatbuffers",
            .format = "FlatBuffers",
            .library = "flatbuffers",
            .version = wirelab::version_text(FLATBUFFERS_VERSION_MAJOR, FLATBUFFERS_VERSION_MINOR,
                                             FLATBUFFERS_VERSION_REVISION),
            .api = "generated",
            .validation = true,
            .self_describing = false,
        },
        count, words);
}
