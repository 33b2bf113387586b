#include "wirelab/any.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <format>
#include <nlohmann/json.hpp>
#include <optional>
#include <ranges>

#include "wirelab/codec.hpp"

namespace wirelab::any {
namespace {

using Json = nlohmann::json;

/// The bits of every NaN: few libraries tell which one it was.
constexpr std::uint64_t nan_bits = 0x7ff8'0000'0000'0000;

[[noreturn]] void refuse(std::string_view why) {
    throw Refused(std::format("the input is not the notation of a value: {}", why));
}

/// The number that all of a text is.
template <class Number>
std::optional<Number> number_in(std::string_view text, int base) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

Item integer(const std::string& digits) {
    if (const auto number = number_in<std::int64_t>(digits, 10)) {
        return *number;
    }
    if (const auto number = number_in<std::uint64_t>(digits, 10)) {
        return *number;
    }
    throw Refused(std::format("the kit has no form for the integer {:.60}: it goes from -2^63 to 2^64-1", digits));
}

Item floating(const std::string& digits) {
    const auto bits = number_in<std::uint64_t>(digits, 16);
    if (!bits || digits.size() != 16) {
        refuse("a float is the 16 hexadecimal digits of a double");
    }
    return std::bit_cast<double>(*bits);
}

std::string unhex(std::string_view digits) {
    std::string bytes;
    for (std::size_t index = 0; index < digits.size(); index += 2) {
        const auto byte = number_in<std::uint8_t>(digits.substr(index, 2), 16);
        if (!byte || index + 2 > digits.size()) {
            refuse("bytes are an even number of hexadecimal digits");
        }
        bytes += static_cast<char>(*byte);
    }
    return bytes;
}

Item ext(const Json& content) {
    if (!content.is_array() || content.size() != 2 || !content[0].is_number_integer()) {
        refuse("an ext is [type, hexadecimal digits]");
    }
    const auto type = content[0].get<std::int64_t>();
    if (type != static_cast<std::int8_t>(type)) {
        refuse("the type of an ext goes from -128 to 127");
    }
    return Ext{static_cast<std::int8_t>(type), unhex(content[1].get_ref<const std::string&>())};
}

using Rest = std::vector<const Json*>;

/// The beginning of a map, whose pairs are left to read.
Item map(const Json& pairs, Rest& rest) {
    if (!pairs.is_array()) {
        refuse("a map is a list of pairs");
    }
    for (const auto& pair : pairs | std::views::reverse) {
        if (!pair.is_array() || pair.size() != 2) {
            refuse("a pair is [key, value]");
        }
        rest.insert(rest.end(), {&pair[1], &pair[0]});
    }
    return Map{pairs.size()};
}

/// What an object of one key stands for.
Item keyed(const Json& object, Rest& rest) {
    if (object.size() != 1) {
        refuse("an object has one key");
    }
    const auto& key = object.begin().key();
    const auto& content = object.begin().value();
    if (key == "int") {
        return integer(content.get_ref<const std::string&>());
    }
    if (key == "float") {
        return floating(content.get_ref<const std::string&>());
    }
    if (key == "bytes") {
        return Bytes{unhex(content.get_ref<const std::string&>())};
    }
    if (key == "ext") {
        return ext(content);
    }
    if (key == "map") {
        return map(content, rest);
    }
    throw Refused(std::format("this codec has no form for {}", key));
}

Item item(const Json& json, Rest& rest) {
    switch (json.type()) {
        case Json::value_t::null:
            return nullptr;
        case Json::value_t::boolean:
            return json.get<bool>();
        case Json::value_t::string:
            return json.get<std::string>();
        case Json::value_t::array:
            for (const auto& one : json | std::views::reverse) {
                rest.push_back(&one);
            }
            return List{json.size()};
        case Json::value_t::object:
            return keyed(json, rest);
        default:
            refuse(R"(a number stands without its type: it is {"int":"…"})");
    }
}

/// A text as JSON has it.
std::string quoted(const std::string& text) { return Json(text).dump(); }

std::string hex(std::string_view bytes) {
    std::string digits;
    for (const char byte : bytes) {
        digits += std::format("{:02x}", static_cast<unsigned char>(byte));
    }
    return digits;
}

/// Writes a value without parts.
struct Scalar {
    std::string operator()(std::nullptr_t) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::integral auto value) const { return std::format(R"({{"int":"{}"}})", value); }
    std::string operator()(double value) const {
        return std::format(R"({{"float":"{:016x}"}})",
                           std::isnan(value) ? nan_bits : std::bit_cast<std::uint64_t>(value));
    }
    std::string operator()(const std::string& text) const {
        try {
            return quoted(text);
        } catch (const Json::type_error&) {  // it is no UTF-8
            return std::format(R"({{"badtext":"{}"}})", hex(text));
        }
    }
    std::string operator()(const Bytes& bytes) const { return std::format(R"({{"bytes":"{}"}})", hex(bytes.data)); }
    std::string operator()(const Ext& ext) const {
        return std::format(R"({{"ext":[{},"{}"]}})", ext.type, hex(ext.data));
    }
    std::string operator()(List) const { return ""; }
    std::string operator()(Map) const { return ""; }
};

/// A line in the making.
class Line {
public:
    void add(const Item& item) {
        separate();
        if (const auto* list = std::get_if<List>(&item)) {
            text_ += '[';
            open_.push_back({.left = list->count, .is_map = false});
        } else if (const auto* map = std::get_if<Map>(&item)) {
            text_ += R"({"map":[)";
            open_.push_back({.left = 2 * map->count, .is_map = true});
        } else {
            text_ += std::visit(Scalar{}, item);
            end_value();
        }
        end_what_is_whole();
    }

    std::string end() && { return std::move(text_) + "\n"; }

private:
    /// A list or a map with values to come; of a map keys and values.
    struct Open {
        std::size_t left = 0;
        bool is_map = false;
        bool is_first = true;
    };

    /// What stands before a value.
    void separate() {
        if (open_.empty()) {
            return;
        }
        auto& around = open_.back();
        text_ += std::exchange(around.is_first, false) ? "" : ",";
        text_ += around.is_map && around.left % 2 == 0 ? "[" : "";
    }

    /// What stands behind a value.
    void end_value() {
        if (!open_.empty()) {
            auto& around = open_.back();
            around.left -= 1;
            text_ += around.is_map && around.left % 2 == 0 ? "]" : "";
        }
    }

    void end_what_is_whole() {
        while (!open_.empty() && open_.back().left == 0) {
            text_ += open_.back().is_map ? "]}" : "]";
            open_.pop_back();
            end_value();
        }
    }

    std::string text_;
    std::vector<Open> open_;
};

}  // namespace

Value read(std::string_view line) {
    const auto json = Json::parse(line);
    Value value;
    Rest rest{&json};
    while (!rest.empty()) {
        const auto& one = *rest.back();
        rest.pop_back();
        value.push_back(item(one, rest));
    }
    return value;
}

std::string write(const Value& value) {
    Line line;
    for (const auto& one : value) {
        line.add(one);
    }
    return std::move(line).end();
}

}  // namespace wirelab::any
