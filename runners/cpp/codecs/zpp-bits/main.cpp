/// zpp_bits' Protocol Buffers, as published: a vector of bytes is cleared and written, and the nested object becomes a
/// new one in either direction, inside the clock.
#include "anew.hpp"
#include "wirelab/serve.hpp"

namespace {
namespace shaped = wirelab::shaped;

struct ZppBits {
    using Buffer = std::vector<std::byte>;

    static std::string_view bytes(const Buffer& buffer) {
        return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
    }

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
        buffer.clear();
        zpp::bits::out{buffer, zpp::bits::no_size{}}(message).or_throw();
    }

    template <class T>
    void decode(const std::string& encoded, T& message) const {
        zpp::bits::in{std::as_bytes(std::span(encoded)), zpp::bits::no_size{}}(message).or_throw();
    }

    void encode(const wirelab::NestedObject& value, Buffer& buffer) const {
        buffer.clear();
        zpp::bits::out{buffer, zpp::bits::no_size{}}(shaped::shaped_anew(value)).or_throw();
    }

    void decode(const std::string& encoded, wirelab::NestedObject& value) const {
        shaped::NestedObject message;
        zpp::bits::in{std::as_bytes(std::span(encoded)), zpp::bits::no_size{}}(message).or_throw();
        value = shaped::shared_anew(message);
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<ZppBits>({.codec = "cpp/zpp-bits",
                                    .format = "Protocol Buffers",
                                    .library = "zpp_bits",
                                    .version = ZPP_BITS_VERSION,
                                    .api = "derive",
                                    .validation = true},
                                   count, words);
}
