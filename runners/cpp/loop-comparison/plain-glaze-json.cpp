#include <glaze/json.hpp>

#include "plain.hpp"

int main(int count, char** words) {
    return plain::main<std::string>(
        count, words,
        [](const auto& value, std::string& buffer) {
            if (glz::write_json(value, buffer)) std::abort();
        },
        [](const std::string& encoded, auto& value) {
            if (glz::read_json(value, encoded)) std::abort();
        });
}
