/// What the optimizer must not see through.
#pragma once

namespace wirelab {

/// Hides where `value` comes from and has it, and all that it points to, made as if it were used.
template <class T>
[[gnu::always_inline]] inline T& opaque(T& value) {
    T* pointer = &value;
    asm volatile("" : "+r"(pointer) : : "memory");
    return *pointer;
}

}  // namespace wirelab
