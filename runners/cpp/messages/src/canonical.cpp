#include "wirelab/canonical.hpp"

#include <glaze/json.hpp>

#include "wirelab/messages.hpp"

namespace wirelab::canonical {
namespace {

struct Options : glz::opts {
    bool validate_trailing_whitespace = true;
    bool escape_control_characters = true;
};

constexpr auto strict = [] {
    Options options{};
    options.error_on_missing_keys = true;
    return options;
}();

}  // namespace

template <class T>
T read(std::string_view json) {
    T value{};
    const std::string text(json);  // with a zero behind it
    if (const auto error = glz::read<strict>(value, text)) {
        throw Refused("canonical JSON: " + glz::format_error(error, text));
    }
    return value;
}

template <class T>
std::string write(const T& value) {
    std::string json;
    if (const auto error = glz::write<strict>(value, json)) {
        throw Refused("canonical JSON: " + glz::format_error(error, json));
    }
    return json + "\n";
}

#define WIRELAB_CANONICAL(Type)           \
    template Type read(std::string_view); \
    template std::string write(const Type&)

WIRELAB_CANONICAL(NestedObject);
WIRELAB_CANONICAL(ArrayF64);
WIRELAB_CANONICAL(ArrayF32);
WIRELAB_CANONICAL(ArrayU64);
WIRELAB_CANONICAL(ArrayU32);
WIRELAB_CANONICAL(ArrayU16);

}  // namespace wirelab::canonical
