#include "messages.hpp"
#include "plain.hpp"

int main(int count, char** words) {
    return plain::main<msgpack::sbuffer>(
        count, words,
        [](const auto& value, msgpack::sbuffer& buffer) {
            buffer.clear();
            msgpack::pack(buffer, value);
        },
        [](const std::string& encoded, auto& value) {
            std::size_t end = 0;
            const auto tree = msgpack::unpack(encoded.data(), encoded.size(), end);
            tree.get().convert(value);
        });
}
