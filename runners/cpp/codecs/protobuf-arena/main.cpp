/// The official Protocol Buffers, messages in an arena: decoding empties it and makes the message anew.
#include <google/protobuf/arena.h>

#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace generated = wirelab::generated;

namespace {

template <class T>
struct InArena {
    std::unique_ptr<google::protobuf::Arena> arena = std::make_unique<google::protobuf::Arena>();
    generated::Message<T>* message = google::protobuf::Arena::CreateMessage<generated::Message<T>>(arena.get());
};

struct ProtobufArena {
    using Buffer = std::string;
    template <class T>
    static InArena<T> own(const T& value) {
        InArena<T> own;
        generated::fill(*own.message, value);
        return own;
    }

    template <class T>
    static T shared(const InArena<T>& own) {
        T value{};
        generated::read(*own.message, value);
        return value;
    }

    template <class T>
    void encode(const InArena<T>& own, Buffer& buffer) const {
        if (!own.message->SerializeToString(&buffer)) {
            throw wirelab::Refused("the message cannot be serialized");
        }
    }

    template <class T>
    void decode(const std::string& encoded, InArena<T>& own) const {
        own.arena->Reset();
        own.message = google::protobuf::Arena::CreateMessage<generated::Message<T>>(own.arena.get());
        if (!own.message->ParseFromString(encoded)) {
            throw wirelab::Refused("the bytes are not of this message");
        }
    }
};

}  // namespace

int main(int count, char** words) {
    const wirelab::About about{.codec = "cpp/protobuf-arena",
                               .format = "Protocol Buffers",
                               .library = "protobuf",
                               .version = generated::version(),
                               .api = "generated",
                               .validation = true};
    return wirelab::serve<ProtobufArena>(about, count, words);
}
