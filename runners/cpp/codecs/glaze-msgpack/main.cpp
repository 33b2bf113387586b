/// Glaze's MessagePack, structs as maps. It has no tree for values without a type: a variant, and so `glz::generic`, is
/// written and read with its name (7.8.4).
#include <glaze/msgpack.hpp>
#include <glaze/version.hpp>

#include "named.hpp"
#include "wirelab/serve.hpp"

namespace {

struct GlazeMsgpack {
    using Buffer = std::string;
    // What is missing is written, so that it is missing in a value that is read into, too.
    static constexpr glz::opts options{.format = glz::MSGPACK, .skip_null_members = false};
    static constexpr wirelab::Limit cannot[] = {
        {"u128", "an integer beyond 64 bits comes back as another number, without an error"},
    };

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        check(glz::write<options>(value, buffer), buffer);
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        if constexpr (wirelab::has_feature<T>("map")) {
            value = {};  // Glaze adds to a map that is there
        }
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
