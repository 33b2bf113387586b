#include "wirelab/measuring/allocation.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <utility>

#ifdef _WIN32
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

#if defined(__GLIBC__) && !defined(WIRELAB_SANITIZED)
#define WIRELAB_COUNTS 1
#endif

namespace wirelab::allocation {
namespace {

enum class Mode : unsigned char { Plain, Count, Limit };

// The process has one thread; relaxed atomics cost what plain variables do and stay right with more.
std::atomic<Mode> mode{Mode::Plain};
std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> allocated_bytes{0};
/// Bytes that may still be allocated. Memory from before the limit adds to it when it is freed.
std::atomic<std::ptrdiff_t> budget_bytes{0};
std::string& refusal() {
    static std::string line;
    return line;
}
int refusal_code = 0;

[[noreturn]] void refuse() {
    mode.store(Mode::Plain, std::memory_order_relaxed);
    std::fputs(refusal().c_str(), stderr);
    std::fflush(stderr);
    std::_Exit(refusal_code);
}

/// What glibc gives for `bytes`: 8 bytes of 16 short of a multiple of them. Taken off the budget, so that it is what
/// freeing puts back; elsewhere it is near enough.
std::ptrdiff_t usable(std::size_t bytes) {
    return static_cast<std::ptrdiff_t>(std::max<std::size_t>(24, ((bytes + 8 + 15) & ~std::size_t{15}) - 8));
}

/// What is to be done before `bytes` more are allocated.
[[gnu::cold, gnu::noinline]] void before(std::size_t bytes) {
    if (mode.load(std::memory_order_relaxed) == Mode::Count) {
        allocations.fetch_add(1, std::memory_order_relaxed);
        allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
        return;
    }
    const auto left = budget_bytes.load(std::memory_order_relaxed);
    if (left < 0 || bytes > static_cast<std::size_t>(left)) {
        refuse();
    }
    budget_bytes.fetch_sub(usable(bytes), std::memory_order_relaxed);
}

/// What is to be done when `bytes` are freed.
[[gnu::cold, gnu::noinline]] void after(std::size_t bytes) {
    if (mode.load(std::memory_order_relaxed) == Mode::Limit) {
        budget_bytes.fetch_add(static_cast<std::ptrdiff_t>(bytes), std::memory_order_relaxed);
    }
}

bool is_plain() { return mode.load(std::memory_order_relaxed) == Mode::Plain; }

}  // namespace

void start_counting() {
    allocations.store(0, std::memory_order_relaxed);
    allocated_bytes.store(0, std::memory_order_relaxed);
    mode.store(Mode::Count, std::memory_order_relaxed);
}

std::optional<Allocations> stop_counting() {
    mode.store(Mode::Plain, std::memory_order_relaxed);
#ifdef WIRELAB_COUNTS
    return Allocations{.allocations = allocations.load(std::memory_order_relaxed),
                       .allocated_bytes = allocated_bytes.load(std::memory_order_relaxed)};
#else
    return std::nullopt;
#endif
}

void limit(std::size_t bytes, std::string line, int exit_code) {
    refusal() = std::move(line);
    refusal_code = exit_code;
    budget_bytes.store(static_cast<std::ptrdiff_t>(bytes), std::memory_order_relaxed);
    mode.store(Mode::Limit, std::memory_order_relaxed);
}

}  // namespace wirelab::allocation

#ifdef WIRELAB_COUNTS
// glibc's own names of what stands behind malloc and its kin.
extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier): glibc chose them.
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void __libc_free(void*) noexcept;
// NOLINTEND(bugprone-reserved-identifier)
}

// What counts is never inlined, and every call comes last and throws nothing: an allocation in a timed loop costs a
// look at the mode and a jump more than without the kit.
namespace wirelab::allocation {
namespace {

[[gnu::cold, gnu::noinline]] void* watched_malloc(std::size_t bytes) noexcept {
    before(bytes);
    return __libc_malloc(bytes);
}

[[gnu::cold, gnu::noinline]] void* watched_calloc(std::size_t count, std::size_t bytes) noexcept {
    std::size_t total = 0;
    before(__builtin_mul_overflow(count, bytes, &total) ? SIZE_MAX : total);
    return __libc_calloc(count, bytes);
}

[[gnu::cold, gnu::noinline]] void* watched_realloc(void* block, std::size_t bytes) noexcept {
    const auto held = block ? malloc_usable_size(block) : 0;
    before(bytes > held ? bytes - held : 0);
    after(held > bytes ? held - bytes : 0);
    return __libc_realloc(block, bytes);
}

[[gnu::cold, gnu::noinline]] void watched_free(void* block) noexcept {
    after(block ? malloc_usable_size(block) : 0);
    __libc_free(block);
}

}  // namespace
}  // namespace wirelab::allocation

extern "C" {
void* malloc(std::size_t bytes) {
    using namespace wirelab::allocation;
    return is_plain() ? __libc_malloc(bytes) : watched_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    using namespace wirelab::allocation;
    return is_plain() ? __libc_calloc(count, bytes) : watched_calloc(count, bytes);
}

void* realloc(void* block, std::size_t bytes) {
    using namespace wirelab::allocation;
    return is_plain() ? __libc_realloc(block, bytes) : watched_realloc(block, bytes);
}

void free(void* block) {
    using namespace wirelab::allocation;
    is_plain() ? __libc_free(block) : watched_free(block);
}
}
#else
namespace {

void* allocate(std::size_t bytes) {
    if (!wirelab::allocation::is_plain()) [[unlikely]] {
        wirelab::allocation::before(bytes);
    }
    if (void* block = std::malloc(bytes ? bytes : 1)) {
        return block;
    }
    throw std::bad_alloc();
}

void release(void* block) noexcept {
    if (!wirelab::allocation::is_plain() && block) [[unlikely]] {
#ifdef _WIN32
        wirelab::allocation::after(_msize(block));
#elif defined(__APPLE__)
        wirelab::allocation::after(malloc_size(block));
#else
        wirelab::allocation::after(malloc_usable_size(block));
#endif
    }
    std::free(block);
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* block) noexcept { release(block); }
void operator delete[](void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
void operator delete[](void* block, std::size_t) noexcept { release(block); }
#endif
