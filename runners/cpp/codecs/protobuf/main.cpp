/// The official Protocol Buffers, messages on the heap.
#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace generated = wirelab::generated;

namespace {

struct Protobuf {
    using Buffer = std::string;
    static constexpr bool builds = true;
    static constexpr auto& instead = generated::instead;

    template <class T>
    static generated::MessageOf<T> own(const T& value) {
        generated::MessageOf<T> message;
        fill(message, value);
        return message;
    }

    template <class T>
    static T shared(const generated::MessageOf<T>& message) {
        T value{};
        read(message, value);
        return value;
    }

    template <class Message>
    void encode(const Message& message, Buffer& buffer) const {
        generated::serialize(message, buffer);
    }

    template <class Message>
    void decode(const std::string& encoded, Message& message) const {
        generated::require(message.ParseFromString(encoded), "the bytes are not of this message");
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
