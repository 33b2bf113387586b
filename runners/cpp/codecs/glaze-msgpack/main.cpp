/// Glaze's MessagePack, structs as maps.
#include <glaze/msgpack.hpp>
#include <glaze/version.hpp>

#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {

struct GlazeMsgpack {
    using Buffer = std::string;

    static auto own(const wirelab::NestedObject& value) {
        return wirelab::converted<wirelab::named::NestedObject>(value);
    }

    template <class T>
    static T shared(const wirelab::named::NestedObject& message) {
        return wirelab::converted<T>(message);
    }

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        check(glz::write_msgpack(value, buffer), buffer);
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        check(glz::read_msgpack(value, encoded), encoded);
    }

    static void check(const glz::error_ctx& error, const std::string& bytes) {
        if (error) {
            throw wirelab::Refused(glz::format_error(error, bytes));
        }
    }
};

}  // namespace

int main(int count, char** words) {
    constexpr auto glaze = glz::version;
    return wirelab::serve<GlazeMsgpack>(
        {
            .codec = "cpp/glaze-msgpack",
            .format = "MessagePack",
            .library = "glaze",
            .version = wirelab::version_text(glaze.major, glaze.minor, glaze.patch),
            .api = "derive",
            .validation = true,
            .self_describing = true,
        },
        count, words);
}
