/// zpp_bits' Protocol Buffers, as published: a vector of bytes is cleared and written, and a struct becomes a new one
/// in either direction, inside the clock.
#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {
namespace shaped = wirelab::shaped;
struct ZppBits {
    using Buffer = std::vector<std::byte>;
    static constexpr auto& instead = shaped::instead;
    template <class T>
    static constexpr bool takes = shaped::HasShape<T>;

    static std::string_view bytes(const Buffer& buffer) {
        return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
    }

    template <class Item>  // lists begin in their shape
    static auto own(const std::vector<Item>& value) {
        return shaped::made<shaped::Shape<std::vector<Item>>>(value);
    }

    template <class T>
    static T shared(const shaped::Shape<T>& message) {
        return shaped::made<T>(message);
    }

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        buffer.clear();
        if constexpr (shaped::HasShape<T>) {
            zpp::bits::out{buffer, zpp::bits::no_size{}}(shaped::made<shaped::Shape<T>>(value)).or_throw();
        } else {
            zpp::bits::out{buffer, zpp::bits::no_size{}}(value).or_throw();
        }
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        zpp::bits::in in{std::as_bytes(std::span(encoded)), zpp::bits::no_size{}};
        if constexpr (!shaped::HasShape<T>) {
            return in(value).or_throw();
        } else {
            shaped::Shape<T> message;
            in(message).or_throw();
            value = shaped::made<T>(message);
        }
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
