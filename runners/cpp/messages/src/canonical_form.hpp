/// How a message is read from canonical JSON and written to it; instantiated for each by generated code.
#pragma once

#include "fields.hpp"
#include "reader.hpp"
#include "wirelab/canonical.hpp"
#include "writer.hpp"

namespace wirelab::canonical {

template <class T>
T read(std::string_view json) {
    T value{};
    Into<typename ShapeOf<T>::Type> root;
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
    put<typename ShapeOf<T>::Type>(json, value);
    json += '\n';
    return json;
}

}  // namespace wirelab::canonical
