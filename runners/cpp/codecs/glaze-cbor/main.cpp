/// Glaze's CBOR, by reflection. It has no tree for values without a type: a variant, and so `glz::generic`, is written
/// and read with its number (7.8.4), and `cbor_to_json` makes text of bytes and drops tags.
#include <glaze/cbor.hpp>
#include <glaze/version.hpp>

#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace {

struct GlazeCbor {
    using Buffer = std::string;
    // What is missing is written, so that it is missing in a value that is read into, too.
    static constexpr glz::opts options{.format = glz::CBOR, .skip_null_members = false};
    static constexpr wirelab::Limit cannot[] = {
        {"u128", "an integer beyond 64 bits comes back as another number, without an error"},
        {"bool-list", "its reader of std::vector<bool> does not compile (7.8.4)"},
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
        check(glz::read_cbor(value, encoded), encoded);
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
    return wirelab::serve<GlazeCbor>(
        {
            .codec = "cpp/glaze-cbor",
            .format = "CBOR",
            .library = "glaze",
            .version = wirelab::version_text(glaze.major, glaze.minor, glaze.patch),
            .api = "derive",
            .validation = true,
            .self_describing = true,
        },
        count, words);
}
