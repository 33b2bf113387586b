/// zpp_bits' Protocol Buffers, as published: a vector of bytes is cleared and written, and the nested object becomes a
/// new one in either direction, inside the clock.
#include <cstddef>
#include <span>

#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace shaped = wirelab::shaped;

namespace {

/// Elements one by one, in memory that is taken once.
template <class To>
std::vector<To> each(const auto& values, const auto& made) {
    std::vector<To> all;
    all.reserve(values.size());
    for (const auto& value : values) {
        all.push_back(made(value));
    }
    return all;
}

/// Vectors of numbers are assigned to an empty object, as the publication's program does; other fields begin as copies.
template <class Integer, class Fixed>
Fixed fixed_anew(const auto& fixed, const auto& integer) {
    Fixed made;
    made.int_array = each<Integer>(fixed.int_array, integer);
    made.float_array = fixed.float_array;
    made.double_array = fixed.double_array;
    return made;
}

shaped::NestedObject shaped_anew(const wirelab::NestedObject& value) {
    using Integer = zpp::bits::vsint32_t;
    const auto integer = [](std::int32_t number) { return Integer{number}; };
    const auto vector = [](const std::array<double, 3>& v) { return shaped::Vector3{v[0], v[1], v[2]}; };
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = value;
    const auto& inner = another.nested_object;
    return {
        fixed_anew<Integer, shaped::FixedObject>(fixed, integer),
        {names.name0, names.name1, names.name2, names.name3, names.name4},
        {another.string, another.another_string, another.boolean, {each<shaped::Vector3>(inner.v3s, vector), inner.id}},
        string_array,
        string,
        number,
        boolean,
        another_bool};
}

wirelab::NestedObject shared_anew(const shaped::NestedObject& message) {
    using Vector = std::array<double, 3>;
    const auto integer = [](zpp::bits::vsint32_t number) { return static_cast<std::int32_t>(number); };
    const auto vector = [](const shaped::Vector3& v) { return Vector{v.x, v.y, v.z}; };
    const auto& [fixed, names, another, string_array, string, number, boolean, another_bool] = message;
    const auto& inner = another.nested_object;
    return {fixed_anew<std::int32_t, wirelab::FixedObject>(fixed, integer),
            {names.name0, names.name1, names.name2, names.name3, names.name4},
            {another.string, another.another_string, another.boolean, {each<Vector>(inner.v3s, vector), inner.id}},
            string_array,
            string,
            number,
            boolean,
            another_bool};
}

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
        const auto message = shaped_anew(value);
        zpp::bits::out{buffer, zpp::bits::no_size{}}(message).or_throw();
    }

    void decode(const std::string& encoded, wirelab::NestedObject& value) const {
        shaped::NestedObject message;
        zpp::bits::in{std::as_bytes(std::span(encoded)), zpp::bits::no_size{}}(message).or_throw();
        value = shared_anew(message);
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
