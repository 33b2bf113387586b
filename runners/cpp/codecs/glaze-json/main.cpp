/// Glaze's JSON, by reflection.
#include <glaze/json.hpp>
#include <glaze/version.hpp>

#include "any.hpp"
#include "json.hpp"
#include "wirelab/serve.hpp"

namespace {

struct Options : glz::opts {
    bool escape_control_characters = wirelab::escapes_control_characters;
};

struct GlazeJson {
    using Buffer = std::string;
    // What is missing is written, so that it is missing in a value that is read into, too.
    static constexpr Options options{{.format = glz::JSON, .skip_null_members = false}};
    // Texts of any value may hold control characters, which Glaze makes JSON of only if it is told to.
    static constexpr Options any_options{{.format = glz::JSON}, true};
    static constexpr wirelab::Limit cannot[] = {
        {"u128", "it does not compile with integers of 128 bits"},
    };
    template <class T>
    static constexpr bool takes = wirelab::finds_names<T>;

    template <class T>
    void encode(const T& value, Buffer& buffer) const {
        check(glz::write<options>(value, buffer), buffer);
    }

    template <class T>
    void decode(const std::string& encoded, T& value) const {
        if constexpr (wirelab::has_feature<T>("map")) {
            value = {};  // Glaze adds to a map that is there
        }
        check(glz::read_json(value, encoded), encoded);
    }

    void encode_any(const wirelab::any::Value& value, Buffer& buffer) const {
        check(glz::write<any_options>(wirelab::tree_of(value), buffer), buffer);
    }

    wirelab::any::Value decode_any(const std::string& encoded) const {
        wirelab::Tree tree;
        check(glz::read_json(tree, encoded), encoded);
        return wirelab::parts_of(tree);
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
    return wirelab::serve<GlazeJson>(
        {
            .codec = "cpp/glaze-json",
            .format = "JSON",
            .library = "glaze",
            .version = wirelab::version_text(glaze.major, glaze.minor, glaze.patch),
            .api = "derive",
            .validation = true,
            .self_describing = true,
        },
        count, words);
}
