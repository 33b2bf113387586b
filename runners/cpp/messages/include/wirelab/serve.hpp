/// Brings the shared message types to a codec that can take all of them, and runs it.
#pragma once

#include "wirelab/messages.hpp"
#include "wirelab/runner.hpp"

namespace wirelab {

template <class Codec>
int serve(About about, int count, char** words) {
    Runner<Codec> runner(std::move(about));
    each_message([&]<class T> { runner.template message<T>(); });
    return runner.run(count, words);
}

}  // namespace wirelab
