/// The control that copies: the physical limit at a message's data size and cache state.
#include "wirelab/data_size.hpp"
#include "wirelab/messages.hpp"
#include "wirelab/runner.hpp"

namespace {

/// As many bytes as a message has data.
struct Raw {
    std::string bytes;
};

struct Memcpy {
    using Buffer = std::string;

    // Not zeros, of which the operating system may keep one page for all.
    static Raw own(const auto& value) { return {std::string(wirelab::data_size(value), '\xA5')}; }

    template <class T>
    static T shared(const Raw&) {
        return {};
    }

    void encode(const Raw& message, Buffer& buffer) const { buffer.assign(message.bytes); }
    void decode(const std::string& encoded, Raw& message) const { message.bytes.assign(encoded); }
};

}  // namespace

int main(int count, char** words) {
    wirelab::Runner<Memcpy> runner({.codec = "cpp/memcpy", .role = wirelab::Role::Copy});
    wirelab::each_message([&]<class T> { runner.serialize_reused<T>().template deserialize_existing<T>(); });
    return runner.run(count, words);
}
