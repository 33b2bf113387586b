/// cereal's binary archives over streams of the caller's memory. cereal takes any stream; a string stream would give
/// its memory back before each message, and copy what it reads.
#include <cereal/archives/binary.hpp>
#include <cereal/version.hpp>
#include <istream>
#include <ostream>
#include <streambuf>

#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {

/// What is written to `stream`, in memory that stays.
class Output : std::streambuf {
public:
    std::ostream stream{this};
    std::string bytes;

private:
    std::streamsize xsputn(const char* data, std::streamsize size) override {
        bytes.append(data, static_cast<std::size_t>(size));
        return size;
    }
};

/// Bytes to read from `stream`, where they are. The stream is kept, as that of `Output` is.
class Input : std::streambuf {
public:
    std::istream stream{this};

    void begin_at(const std::string& bytes) {
        auto* const begin = const_cast<char*>(bytes.data());  // of a buffer that is only read
        setg(begin, begin, begin + bytes.size());
    }
};

struct Cereal {
    using Buffer = Output;

    static std::string_view bytes(const Buffer& buffer) { return buffer.bytes; }

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        buffer.bytes.clear();
        cereal::BinaryOutputArchive archive(buffer.stream);
        archive(value);
    }

    template <class T>
    void decode(const std::string& encoded, T& value) {
        input.begin_at(encoded);
        cereal::BinaryInputArchive archive(input.stream);
        archive(value);
    }

private:
    Input input;
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<Cereal>(
        {
            .codec = "cpp/cereal",
            .format = "cereal binary",
            .library = "cereal",
            .version = wirelab::version_text(CEREAL_VERSION_MAJOR, CEREAL_VERSION_MINOR, CEREAL_VERSION_PATCH),
            .api = "manual",
            .validation = true,
            .self_describing = false,
        },
        count, words);
}
