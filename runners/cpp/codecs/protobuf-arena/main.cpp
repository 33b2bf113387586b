/// The official Protocol Buffers, messages in an arena: decoding empties it and makes the message anew.
#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {
namespace generated = wirelab::generated;
template <class T>
auto* make(google::protobuf::Arena& arena) {
    return google::protobuf::Arena::CreateMessage<generated::MessageOf<T>>(&arena);
}

template <class T>
struct InArena {
    std::unique_ptr<google::protobuf::Arena> arena = std::make_unique<google::protobuf::Arena>();
    generated::MessageOf<T>* message = make<T>(*arena);
};

struct ProtobufArena {
    using Buffer = std::string;
    static constexpr bool builds = true;
    static constexpr auto& instead = generated::instead;
    template <class T>
    static InArena<T> own(const T& value) {
        InArena<T> own;
        fill(*own.message, value);
        return own;
    }

    template <class T>
    static T shared(const InArena<T>& own) {
        T value{};
        read(*own.message, value);
        return value;
    }

    template <class T>
    void encode(const InArena<T>& own, Buffer& buffer) const {
        generated::serialize(*own.message, buffer);
    }

    template <class T>
    void decode(const std::string& encoded, InArena<T>& own) const {
        own.arena->Reset();
        own.message = make<T>(*own.arena);
        generated::require(own.message->ParseFromString(encoded), "the bytes are not of this message");
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<ProtobufArena>({.codec = "cpp/protobuf-arena",
                                          .format = "Protocol Buffers",
                                          .library = "protobuf",
                                          .version = generated::version(),
                                          .api = "generated",
                                          .validation = true},
                                         count, words);
}
