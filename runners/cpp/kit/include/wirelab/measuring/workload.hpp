/// A cell made ready to be measured, and the timed loop.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "wirelab/measuring/allocation.hpp"
#include "wirelab/measuring/clock.hpp"
#include "wirelab/measuring/opaque.hpp"
#include "wirelab/rows.hpp"

namespace wirelab {

/// What `measure` does with a cell, whatever its codec, message and step are.
class Workload {
public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    virtual ~Workload() = default;

    /// The timed loop. The first exception of the library ends it: what failed is not timed as if it had worked.
    virtual Lap repeat(std::uint64_t repetitions) = 0;

    /// What one repetition in the steady state allocates, with buffers of its own.
    virtual std::optional<Allocations> allocations() const = 0;

    /// What a repetition produces: one repetition more, untimed, on the buffers that the loop left behind. After a loop
    /// of no repetitions it is the same work, and so the driver can subtract one process from the other.
    virtual std::string product() = 0;

    /// Encoded bytes of a repetition.
    std::uint64_t encoded_bytes = 0;

protected:
    /// Repetitions until buffers have grown to what they keep: Glaze enlarges one that is full a second time.
    static constexpr std::uint64_t settling = 3;
};

template <class Step>
[[gnu::noinline]] Lap timed_loop(Step& step, const typename Step::Input& input, std::uint64_t repetitions) {
    const auto clock = Clock::start();
    for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
        step.run(opaque(input));
    }
    return clock.stop();
}

/// A repetition is a pass over many inputs.
template <class Step>
[[gnu::noinline]] Lap timed_passes(Step& step, const std::vector<typename Step::Input>& inputs,
                                   std::uint64_t repetitions) {
    const auto clock = Clock::start();
    for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
        for (const auto& input : inputs) {
            step.run(opaque(input));
        }
    }
    return clock.stop();
}

/// A step with its input in memory.
template <class Step>
class Repeated final : public Workload {
public:
    Repeated(typename Step::Input input, std::uint64_t bytes) : input_(std::move(input)) { encoded_bytes = bytes; }

    Lap repeat(std::uint64_t repetitions) override { return timed_loop(step_, input_, repetitions); }

    std::optional<Allocations> allocations() const override {
        Step step{};
        timed_loop(step, input_, settling);
        return count_allocations([&] { timed_loop(step, input_, 1); });
    }

    std::string product() override { return step_.product(input_); }

private:
    Step step_{};
    typename Step::Input input_;
};

/// A step with many inputs in memory.
template <class Step>
class Passes final : public Workload {
public:
    Passes(std::vector<typename Step::Input> inputs, std::uint64_t bytes) : inputs_(std::move(inputs)) {
        encoded_bytes = bytes;
    }

    Lap repeat(std::uint64_t repetitions) override { return timed_passes(step_, inputs_, repetitions); }

    std::optional<Allocations> allocations() const override {
        Step step{};
        timed_passes(step, inputs_, settling);
        return count_allocations([&] { timed_passes(step, inputs_, 1); });
    }

    std::string product() override {
        std::string all;
        for (const auto& input : inputs_) {
            rows::append(all, step_.product(input), Step::makes_bytes);
        }
        return all;
    }

private:
    Step step_{};
    std::vector<typename Step::Input> inputs_;
};

}  // namespace wirelab
