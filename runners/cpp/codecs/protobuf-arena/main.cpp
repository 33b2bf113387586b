/// The official Protocol Buffers, messages in an arena, which keeps its first block: decoding into an existing one
/// empties it and makes it anew.
#include <array>

#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {
namespace generated = wirelab::generated;
struct Space {
    alignas(std::max_align_t) std::array<char, 1 << 16> block;
    google::protobuf::Arena arena{block.data(), block.size()};
};

template <class T>
struct InArena {
    std::unique_ptr<Space> space = std::make_unique_for_overwrite<Space>();
    generated::MessageOf<T>* message = nullptr;

    /// An empty message, the only one in the arena.
    auto& fresh() {
        if (message != nullptr) space->arena.Reset();
        message = google::protobuf::Arena::CreateMessage<generated::MessageOf<T>>(&space->arena);
        return *message;
    }
};

struct ProtobufArena {
    using Buffer = std::string;
    static constexpr bool builds = true;
    static constexpr auto& instead = generated::instead;
    template <class T>
    static InArena<T> own(const T& value) {
        InArena<T> own;
        fill(own.fresh(), value);
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
        generated::require(own.fresh().ParseFromString(encoded), "the bytes are not of this message");
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
