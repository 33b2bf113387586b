/// Brings the message types of a set to a codec, and runs it.
#pragma once

#include "wirelab/messages.hpp"
#include "wirelab/runner.hpp"

namespace wirelab {

/// Offers each message type that the codec can take.
template <class Codec>
int serve(About about, int count, char** words) {
    Runner<Codec> runner(std::move(about));
    each_message([&]<class T> {
        if constexpr (Takes<Codec, T>) {
            runner.template message<T>();
        }
    });
    return runner.run(count, words);
}

}  // namespace wirelab
