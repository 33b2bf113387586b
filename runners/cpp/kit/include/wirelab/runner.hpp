/// A codec's capabilities, gathered.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "wirelab/about.hpp"
#include "wirelab/canonical.hpp"
#include "wirelab/codec.hpp"
#include "wirelab/measuring/step.hpp"
#include "wirelab/protocol/program.hpp"
#include "wirelab/protocol/report.hpp"

namespace wirelab {

/// Builds the program of the codec: what it is, then what it can do with each message type.
template <class Codec>
class Runner {
public:
    explicit Runner(About about) : program_{.about = std::move(about), .cells = {}, .transcoders = {}} {}

    /// Offers a message type in every way.
    template <class T>
        requires Encodes<Codec, T> && Decodes<Codec, T>
    Runner& message() {
        serialize_reused<T>();
        cell<T>("serialize", {{"buffer", "fresh"}}, prepare_message<step::SerializeFresh<Codec, T>, T>);
        deserialize_existing<T>();
        cell<T>("deserialize", {{"output", "owned"}, {"drop", "inside"}},
                prepare_encoded<step::DeserializeOwned<Codec, T>, T>);
        if (!program_.about.is_control()) {
            for (const auto scenario : scenarios_of<T>) {
                program_.transcoders.push_back({std::string(scenario), encode<T>, decode<T>});
            }
        }
        return *this;
    }

    /// Offers a message type for serialization into a reused buffer.
    template <class T>
    Runner& serialize_reused() {
        return cell<T>("serialize", {{"buffer", "reused"}}, prepare_message<step::SerializeReused<Codec, T>, T>);
    }

    /// Offers an existing value as output.
    template <class T>
    Runner& deserialize_existing() {
        return cell<T>("deserialize", {{"output", "existing"}},
                       prepare_encoded<step::DeserializeExisting<Codec, T>, T>);
    }

    int run(int count, char** words) const { return program_.run(count, words); }

private:
    template <class T>
    Runner& cell(std::string_view operation, Conditions conditions,
                 std::unique_ptr<Workload> (*prepare)(std::string_view)) {
        conditions.insert(build_conditions().begin(), build_conditions().end());
        conditions.emplace("api", program_.about.api);
        if (operation != "serialize") {
            conditions.emplace("validation", program_.about.validation ? "on" : "off");
        }
        for (const auto scenario : scenarios_of<T>) {
            program_.cells.push_back({std::string(scenario), std::string(operation), conditions, prepare});
        }
        return *this;
    }

    template <class T>
    static std::string encode(std::string_view json) {
        Codec codec{};
        typename Codec::Buffer buffer{};
        codec.encode(Form<Codec, T>::own(canonical::read<T>(json)), buffer);
        return std::string(bytes_of<Codec>(buffer));
    }

    template <class T>
    static std::string decode(std::string_view bytes) {
        Codec codec{};
        MessageOf<Codec, T> message{};
        codec.decode(stored(bytes), message);
        return canonical::write<T>(Form<Codec, T>::shared(message));
    }

    template <class Step, class T>
    static std::unique_ptr<Workload> prepare_message(std::string_view json) {
        const auto size = encode<T>(json).size();
        return std::make_unique<Repeated<Step>>(Form<Codec, T>::own(canonical::read<T>(json)), size);
    }

    template <class Step, class T>
    static std::unique_ptr<Workload> prepare_encoded(std::string_view json) {
        auto encoded = stored(encode<T>(json));
        const auto size = encoded.size();
        return std::make_unique<Repeated<Step>>(std::move(encoded), size);
    }

    /// The bytes in memory from `new`, which a short string is not.
    static std::string stored(std::string_view bytes) {
        std::string copy;
        copy.reserve(bytes.size() + sizeof(std::string));
        return copy.append(bytes);
    }

    Program program_;
};

}  // namespace wirelab
