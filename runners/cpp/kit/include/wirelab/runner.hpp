/// A codec's capabilities, gathered.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "wirelab/about.hpp"
#include "wirelab/canonical.hpp"
#include "wirelab/codec.hpp"
#include "wirelab/measuring/step.hpp"
#include "wirelab/protocol/program.hpp"
#include "wirelab/protocol/report.hpp"
#include "wirelab/rows.hpp"

namespace wirelab {

/// Builds the program of the codec: what it is, then what it can do with each message type.
template <class Codec>
class Runner {
public:
    explicit Runner(About about) : program_{.about = std::move(about), .cells = {}, .transcoders = {}} {
        for (const auto& [feature, reason] : cannot_of<Codec>()) {
            program_.about.cannot.emplace(feature, reason);
        }
        for (const auto& [feature, reason] : instead_of<Codec>()) {
            program_.about.instead.emplace(feature, reason);
        }
        if constexpr (TakesAny<Codec>) {
            program_.about.any = true;
            program_.any = {.scenario = "any", .encode = encode_any, .decode = decode_any};
        }
    }

    /// Offers a message type in every way that the codec has.
    template <class T>
        requires Encodes<Codec, T> && Decodes<Codec, T>
    Runner& message() {
        if constexpr (is_measured<T>) {
            timed<T>();
        } else {
            cell<T>("serialize", {{"buffer", "reused"}}, nullptr);
        }
        if constexpr (Builds<Codec> && is_measured<T>) {
            cell<T>("build", {{"drop", "inside"}}, prepare_shared<step::Build<Codec, T>, T>);
            cell<T>("build+serialize", {{"buffer", "reused"}, {"drop", "inside"}},
                    prepare_shared<step::BuildSerialize<Codec, T>, T>);
        }
        if constexpr (Accesses<Codec, T> && is_measured<T>) {
            cell<T>("access", {}, prepare_encoded<step::Access<Codec, T>, T>);
        }
        if (!program_.about.is_control()) {
            for (const auto& scenario : scenarios_of<T>) {
                program_.transcoders.push_back({std::string(scenario.name), encode<T>, decode<T>, scenario.rows});
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
    /// Serialization and deserialization, to be timed.
    template <class T>
    void timed() {
        serialize_reused<T>();
        cell<T>("serialize", {{"buffer", "fresh"}}, prepare_message<step::SerializeFresh<Codec, T>, T>);
        deserialize_existing<T>();
        cell<T>("deserialize", {{"output", "owned"}, {"drop", "inside"}},
                prepare_encoded<step::DeserializeOwned<Codec, T>, T>);
    }

    template <class T>
    Runner& cell(std::string_view operation, Conditions conditions,
                 std::unique_ptr<Workload> (*prepare)(std::string_view, bool)) {
        conditions.insert(build_conditions().begin(), build_conditions().end());
        conditions.emplace("api", program_.about.api);
        if (operation == "deserialize" || operation == "access") {
            conditions.emplace("validation", program_.about.validation ? "on" : "off");
        }
        for (const auto& scenario : scenarios_of<T>) {
            program_.cells.push_back(
                {std::string(scenario.name), std::string(operation), conditions, prepare, scenario.rows});
        }
        return *this;
    }

    template <class T>
    static std::vector<std::string> encoded(std::string_view json, bool rows) {
        Codec codec{};
        typename Codec::Buffer buffer{};
        std::vector<std::string> messages;
        for (const auto line : rows::lines(json, rows)) {
            codec.encode(Form<Codec, T>::own(canonical::read<T>(line)), buffer);
            messages.push_back(stored(bytes_of<Codec>(buffer)));
        }
        return messages;
    }

    template <class T>
    static std::string encode(std::string_view json, bool rows) {
        std::string all;
        for (const auto& message : encoded<T>(json, rows)) {
            rows::append(all, message, rows);
        }
        return all;
    }

    template <class T>
    static std::string decode(std::string_view bytes, bool rows) {
        std::string all;
        for (const auto encoded : rows::messages(bytes, rows)) {
            Codec codec{};
            MessageOf<Codec, T> message{};
            codec.decode(stored(encoded), message);
            all += canonical::write<T>(Form<Codec, T>::shared(message));
        }
        return all;
    }

    static std::string encode_any(std::string_view line, bool) {
        typename Codec::Buffer buffer{};
        Codec{}.encode_any(any::read(line), buffer);
        return std::string(bytes_of<Codec>(buffer));
    }

    static std::string decode_any(std::string_view bytes, bool) {
        return any::write(Codec{}.decode_any(stored(bytes)));
    }

    /// Inputs that are the codec's own form of messages, messages as they are, and encoded messages.
    template <class Step, class T>
    static std::unique_ptr<Workload> prepare_message(std::string_view json, bool rows) {
        return prepared<Step, T>(json, rows, [](std::string_view line, const std::string&) {
            return Form<Codec, T>::own(canonical::read<T>(line));
        });
    }

    template <class Step, class T>
    static std::unique_ptr<Workload> prepare_shared(std::string_view json, bool rows) {
        return prepared<Step, T>(json, rows,
                                 [](std::string_view line, const std::string&) { return canonical::read<T>(line); });
    }

    template <class Step, class T>
    static std::unique_ptr<Workload> prepare_encoded(std::string_view json, bool rows) {
        return prepared<Step, T>(json, rows,
                                 [](std::string_view, const std::string& encoded) { return stored(encoded); });
    }

    template <class Step, class T>
    static std::unique_ptr<Workload> prepared(std::string_view json, bool rows, auto input_of) {
        const auto messages = encoded<T>(json, rows);
        std::uint64_t bytes = 0;
        for (const auto& message : messages) {
            bytes += message.size();
        }
        if constexpr (std::ranges::any_of(scenarios_of<T>, &Scenario::rows)) {
            if (rows) {
                std::vector<typename Step::Input> inputs;
                inputs.reserve(messages.size());
                for (std::size_t index = 0; const auto line : rows::lines(json, rows)) {
                    inputs.push_back(input_of(line, messages[index++]));
                }
                return std::make_unique<Passes<Step>>(std::move(inputs), bytes);
            }
        }
        return std::make_unique<Repeated<Step>>(input_of(json, messages.front()), bytes);
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
