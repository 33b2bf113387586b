#include "wirelab/canonical.hpp"

#include "reader.hpp"
#include "wirelab/messages.hpp"
#include "writer.hpp"

namespace wirelab::canonical {

template <class T>
T read(std::string_view json) {
    T value{};
    Into<T> root;
    root.to = &value;
    Events events(root);
    try {
        nlohmann::json::sax_parse(json, &events);
    } catch (const Refused& error) {
        throw Refused(std::string("canonical JSON: ") + error.what());
    }
    return value;
}

template <class T>
std::string write(const T& value) {
    std::string json;
    put(json, value);
    json += '\n';
    return json;
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
