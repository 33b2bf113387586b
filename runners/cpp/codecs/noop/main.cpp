/// The control that does nothing: what the timed loops themselves cost.
#include "wirelab/serve.hpp"

namespace {

/// A message, read from its canonical JSON and forgotten.
struct Nothing {};

struct Noop {
    using Buffer = std::string;

    static Nothing own(const auto&) { return {}; }

    template <class T>
    static T shared(Nothing) {
        return {};
    }

    void encode(Nothing, Buffer&) const {}
    void decode(const std::string&, Nothing&) const {}
};

}  // namespace

int main(int count, char** words) {
    return wirelab::serve<Noop>({.codec = "cpp/noop", .role = wirelab::Role::Nothing}, count, words);
}
