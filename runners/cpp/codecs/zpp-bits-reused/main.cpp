/// zpp_bits' Protocol Buffers with memory reused: it writes over what the string holds, and a message is converted into
/// the existing value.
#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace shaped = wirelab::shaped;

namespace {

struct ZppBitsReused {
    using Buffer = std::string;
    static constexpr auto& instead = shaped::instead;
    template <class T>
    static constexpr bool takes = shaped::HasShape<T>;

    // Lists begin in their shape.
    template <class Item>
    static auto own(const std::vector<Item>& value) {
        return shaped::converted<shaped::Shape<std::vector<Item>>>(value);
    }

    template <class T>
    static T shared(const shaped::Shape<T>& message) {
        return shaped::converted<T>(message);
    }

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        if constexpr (shaped::HasShape<T>) {
            const auto message = shaped::converted<shaped::Shape<T>>(value);
            shaped::write_over(message, buffer);
        } else {
            shaped::write_over(value, buffer);
        }
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        if constexpr (shaped::HasShape<T>) {
            shaped::Shape<T> message;
            zpp::bits::in{encoded, zpp::bits::no_size{}}(message).or_throw();
            convert(message, value);
        } else {
            zpp::bits::in{encoded, zpp::bits::no_size{}}(value).or_throw();
        }
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<ZppBitsReused>({.codec = "cpp/zpp-bits-reused",
                                          .format = "Protocol Buffers",
                                          .library = "zpp_bits",
                                          .version = ZPP_BITS_VERSION,
                                          .api = "derive",
                                          .validation = true},
                                         count, words);
}
