/// cereal's binary archives over string streams, as its documentation uses them.
#include <cereal/archives/binary.hpp>
#include <cereal/version.hpp>
#include <sstream>

#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {

struct Cereal {
    using Buffer = std::ostringstream;

    static std::string_view bytes(const Buffer& buffer) { return buffer.view(); }

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        buffer.str("");
        cereal::BinaryOutputArchive archive(buffer);
        archive(value);
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        std::istringstream stream(encoded);
        cereal::BinaryInputArchive archive(stream);
        archive(value);
    }
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<Cereal>(
        {
            .codec = "cpp/cereal",
            .format = "cereal binary",
            .library = "cereal",
            .version = wirelab::version_text(CEREAL_VERSION_MAJOR, CEREAL_VERSION_MINOR, CEREAL_VERSION_PATCH),
            .api = "derive",
            .validation = true,
            .self_describing = false,
        },
        count, words);
}
