/// The official Protocol Buffers, messages on the heap.
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace generated = wirelab::generated;

namespace {

struct Protobuf {
    using Buffer = std::string;

    template <class T>
    static generated::Message<T> own(const T& value) {
        generated::Message<T> message;
        generated::fill(message, value);
        return message;
    }

    template <class T>
    static T shared(const generated::Message<T>& message) {
        T value{};
        generated::read(message, value);
        return value;
    }

    template <class Message>
    void encode(const Message& message, Buffer& buffer) const {
        if (!message.SerializeToString(&buffer)) {
            throw wirelab::Refused("the message cannot be serialized");
        }
    }

    template <class Message>
    void decode(const std::string& encoded, Message& message) const {
        if (!message.ParseFromString(encoded)) {
            throw wirelab::Refused("the bytes are not of this message");
        }
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<Protobuf>(
        {
            .codec = "cpp/protobuf",
            .format = "Protocol Buffers",
            .library = "protobuf",
            .version = generated::version(),
            .api = "generated",
            .validation = true,
            .self_describing = false,
        },
        count, words);
}
