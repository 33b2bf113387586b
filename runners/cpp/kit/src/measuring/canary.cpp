#include "wirelab/measuring/canary.hpp"

#include <algorithm>
#include <bit>
#include <chrono>

#include "wirelab/measuring/opaque.hpp"

namespace wirelab {
namespace {

using Clock = std::chrono::steady_clock;

std::uint64_t nanoseconds(Clock::duration time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

// Independent chains of integer arithmetic keep the core's integer ports busy, so that its frequency, a busy sibling
// and lost processor time all show. They touch no memory, so that what ran before does not.
//
// The assembly is that of the Rust kit (kit/src/base/canary), to the letter: times compare across runners. With another
// text or another number of iterations the kernel needs another name.

#if defined(__x86_64__)
constexpr std::string_view kernel_name = "x86-64/1";

/// 240,000 iterations of 29 instructions: seven chains of three, three of a multiplication and an addition.
[[gnu::noinline]] void kernel() {
    asm volatile(
        ".intel_syntax noprefix\n"
        R"(
mov rdx, 0x9E3779B97F4A7C15
mov r8d, 1
mov r9d, 2
mov r10d, 3
mov r12d, 4
mov r13d, 5
mov r14d, 6
mov r15d, 7
mov eax, 8
mov esi, 9
mov edi, 10
mov ecx, 240000
.p2align 6
2:
add r12, rdx
add r13, rdx
add r14, rdx
add r15, rdx
add rax, rdx
add rsi, rdx
add rdi, rdx
imul r8, r8, 0x2545f491
add r8, rdx
rol r12, 7
rol r13, 13
rol r14, 17
rol r15, 23
rol rax, 29
rol rsi, 37
rol rdi, 43
imul r9, r9, 0x3c6ef35f
add r9, rdx
xor r12, rdx
xor r13, rdx
xor r14, rdx
xor r15, rdx
xor rax, rdx
xor rsi, rdx
xor rdi, rdx
imul r10, r10, 0x5851f42d
add r10, rdx
sub ecx, 1
jnz 2b

)"
        ".att_syntax prefix\n"
        :
        :
        : "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r12", "r13", "r14", "r15", "cc", "memory");
}
#elif defined(__aarch64__)
constexpr std::string_view kernel_name = "aarch64/1";

/// 196,608 iterations of 38 instructions: ten chains of three, three of a multiplication and an addition.
[[gnu::noinline]] void kernel() {
    asm volatile(R"(
mov x13, #0x7C15
movk x13, #0x7F4A, lsl #16
movk x13, #0x79B9, lsl #32
movk x13, #0x9E37, lsl #48
mov x14, #0x7F2D
movk x14, #0x4C95, lsl #16
movk x14, #0xF42D, lsl #32
movk x14, #0x5851, lsl #48
mov x0, #1
mov x1, #2
mov x2, #3
mov x3, #4
mov x4, #5
mov x5, #6
mov x6, #7
mov x7, #8
mov x8, #9
mov x9, #10
mov x10, #11
mov x11, #12
mov x12, #13
mov w15, #196608
.p2align 6
2:
add x3, x3, x13
add x4, x4, x13
add x5, x5, x13
add x6, x6, x13
add x7, x7, x13
add x8, x8, x13
add x9, x9, x13
add x10, x10, x13
add x11, x11, x13
add x12, x12, x13
mul x0, x0, x14
add x0, x0, x13
ror x3, x3, #7
ror x4, x4, #13
ror x5, x5, #17
ror x6, x6, #23
ror x7, x7, #29
ror x8, x8, #37
ror x9, x9, #43
ror x10, x10, #47
ror x11, x11, #53
ror x12, x12, #59
mul x1, x1, x14
add x1, x1, x13
eor x3, x3, x13
eor x4, x4, x13
eor x5, x5, x13
eor x6, x6, x13
eor x7, x7, x13
eor x8, x8, x13
eor x9, x9, x13
eor x10, x10, x13
eor x11, x11, x13
eor x12, x12, x13
mul x2, x2, x14
add x2, x2, x13
subs w15, w15, #1
b.ne 2b

)"
                 :
                 :
                 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                   "cc", "memory");
}
#else
constexpr std::string_view kernel_name = "portable/1";

/// Such chains as the compiler makes them: compared within one program only.
[[gnu::noinline]] void kernel() {
    constexpr std::uint64_t step = 0x9E3779B97F4A7C15;
    std::uint64_t sums[] = {1, 2, 3, 4, 5};
    std::uint64_t products[] = {1, 2, 3};
    opaque(sums);
    opaque(products);
    for (int iteration = 0; iteration < 200'000; ++iteration) {
        for (auto& sum : sums) {
            sum = std::rotl(sum + step, 13) ^ step;
        }
        for (auto& product : products) {
            product = product * 0x2545F491 + step;
        }
    }
    opaque(sums);
    opaque(products);
}
#endif

/// Copies before one is timed, as in the other kits: a codec leaves its own data in the caches.
constexpr int copies_before = 3;

}  // namespace

std::string_view canary::name() { return kernel_name; }

std::uint64_t canary::time_ns() {
    const auto start = Clock::now();
    kernel();
    return nanoseconds(Clock::now() - start);
}

// Not zeros, of which the operating system may keep one page for all.
Canaries::Canaries(std::size_t copy_bytes) : source_(copy_bytes, 1), target_(copy_bytes, 2) {}

Canary Canaries::run() {
    Canary times{.kernel_ns = canary::time_ns()};
    if (!source_.empty()) {
        for (int copies = 0; copies < copies_before; ++copies) {
            copy();
        }
        const auto start = Clock::now();
        copy();
        times.copy_ns = nanoseconds(Clock::now() - start);
    }
    return times;
}

void Canaries::copy() {
    std::ranges::copy(opaque(source_), opaque(target_).begin());
    opaque(target_);
}

}  // namespace wirelab
