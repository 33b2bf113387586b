/// zpp_bits' Protocol Buffers with all memory reused: it writes over what the string holds, and the nested object is
/// converted into the existing value.
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace shaped = wirelab::shaped;

namespace {

struct ZppBitsReused {
    using Buffer = std::string;

    template <class Number>
    static shaped::Array<Number> own(const std::vector<Number>& value) {
        return {value};
    }

    template <class T>
    static T shared(const auto& array) {
        return array.values;
    }

    template <class T>
    void encode(const T& message, Buffer& buffer) const {
        zpp::bits::out{buffer, zpp::bits::no_size{}}(message).or_throw();
    }

    template <class T>
    void decode(const std::string& encoded, T& message) const {
        zpp::bits::in{encoded, zpp::bits::no_size{}}(message).or_throw();
    }

    void encode(const wirelab::NestedObject& value, Buffer& buffer) const {
        const auto message = wirelab::converted<shaped::NestedObject>(value);
        zpp::bits::out{buffer, zpp::bits::no_size{}}(message).or_throw();
    }

    void decode(const std::string& encoded, wirelab::NestedObject& value) const {
        shaped::NestedObject message;
        zpp::bits::in{encoded, zpp::bits::no_size{}}(message).or_throw();
        wirelab::convert(message, value);
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
