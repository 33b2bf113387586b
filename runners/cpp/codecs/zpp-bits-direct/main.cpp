/// zpp_bits' Protocol Buffers of the nested object in its own shape: nothing is converted inside the clock.
#include "messages.hpp"
#include "wirelab/runner.hpp"

namespace shaped = wirelab::shaped;

namespace {

struct ZppBitsDirect {
    using Buffer = std::string;

    static auto own(const wirelab::NestedObject& value) { return wirelab::converted<shaped::NestedObject>(value); }

    template <class T>
    static T shared(const shaped::NestedObject& message) {
        return wirelab::converted<T>(message);
    }

    void encode(const shaped::NestedObject& message, Buffer& buffer) const {
        zpp::bits::out{buffer, zpp::bits::no_size{}}(message).or_throw();
    }

    void decode(const std::string& encoded, shaped::NestedObject& message) const {
        zpp::bits::in{encoded, zpp::bits::no_size{}}(message).or_throw();
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::Runner<ZppBitsDirect>({.codec = "cpp/zpp-bits-direct",
                                           .format = "Protocol Buffers",
                                           .library = "zpp_bits",
                                           .version = ZPP_BITS_VERSION,
                                           .api = "derive",
                                           .validation = true})
        .message<wirelab::NestedObject>()
        .run(count, words);
}
