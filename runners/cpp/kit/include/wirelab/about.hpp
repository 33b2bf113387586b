/// What a codec says of itself; the rest of `describe` follows from it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace wirelab {

/// What a control does in place of serializing.
enum class Role : std::uint8_t {
    /// It copies the bytes of the value: no codec can be much faster.
    Copy,
    /// It does no work: what remains is the cost of the loop.
    Nothing,
};

struct About {
    /// `cpp/` and the name of the codec's folder.
    std::string_view codec;
    /// The name of the wire format, as its specification writes it.
    std::string_view format = "none";
    /// What a control does; it has no library. None for codecs.
    std::optional<Role> role{};
    /// The measured library, as runners/cpp/sources.toml names it.
    std::optional<std::string_view> library{};
    /// The version that the library's own headers give.
    std::optional<std::string> version{};
    /// How the library learns of the message type: `derive` (reflection or its macros), `generated` or `manual`.
    std::string_view api = "manual";
    /// Whether the library checks what it decodes.
    bool validation = false;
    /// Whether encoded messages carry the names and the types of their fields.
    bool self_describing = false;
    /// Operation → the codec whose code for it is, call by call, the same: what differs between the two is noise.
    std::map<std::string_view, std::string_view> identical{};

    /// What of a type the library cannot take, with the reason, and what is written in another shape: the runner fills
    /// them in from `Codec::cannot` and `Codec::instead`.
    std::map<std::string_view, std::string_view> cannot{};
    std::map<std::string_view, std::string_view> instead{};
    /// Whether `encode` and `decode` take `--type any`: the runner fills it in, too.
    bool any = false;

    bool is_control() const { return role.has_value(); }
};

/// Three numbers as a version is written.
std::string version_text(unsigned major, unsigned minor, unsigned patch);

}  // namespace wirelab
