/// zpp_bits' Protocol Buffers of messages in their own shape: nothing is converted inside the clock.
#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace shaped = wirelab::shaped;

namespace {

struct ZppBitsDirect {
    using Buffer = std::string;
    static constexpr bool builds = true;
    static constexpr wirelab::Limit cannot[] = {
        {"list-message", "cpp/zpp-bits-reused has lists in their own shape, too"},
    };
    static constexpr auto& instead = shaped::instead;
    template <class T>
    static constexpr bool takes = shaped::HasShape<T>;

    template <class T>
    static auto own(const T& value) {
        return shaped::converted<shaped::Shape<T>>(value);
    }

    template <class T>
    static T shared(const auto& message) {
        return shaped::converted<T>(message);
    }

    template <class Message>
    void encode(const Message& message, Buffer& buffer) const {
        shaped::write_over(message, buffer);
    }

    template <class Message>
    void decode(const std::string& encoded, Message& message) const {
        zpp::bits::in{encoded, zpp::bits::no_size{}}(message).or_throw();
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<ZppBitsDirect>({.codec = "cpp/zpp-bits-direct",
                                          .format = "Protocol Buffers",
                                          .library = "zpp_bits",
                                          .version = ZPP_BITS_VERSION,
                                          .api = "derive",
                                          .validation = true},
                                         count, words);
}
