//! The canary: a fixed kernel of about half a millisecond, whose time shows whether something disturbs the core.
//!
//! Independent chains of integer arithmetic keep the integer ports of the core busy, so that the clock's
//! frequency, a busy hyperthread sibling and lost processor time all show in it. It touches no memory, so that what ran
//! before does not.
//!
//! For x86-64 and AArch64 it is a block of assembly that the C++ kit holds too, byte by byte: their times compare across
//! runners. A change of its text, or of its count of iterations, needs a new name.

use std::hint::black_box;
use std::time::Instant;

use crate::base::nanoseconds;

/// The name of the kernel. Two runners that name the same kernel run the same machine code, except for `portable/1`.
pub const NAME: &str = if cfg!(target_arch = "x86_64") {
    "x86-64/1"
} else if cfg!(target_arch = "aarch64") {
    "aarch64/1"
} else {
    "portable/1"
};

/// Runs the kernel and tells how long it took.
#[inline(never)]
pub fn time_ns() -> u64 {
    let clock = Instant::now();
    kernel();
    nanoseconds(clock.elapsed())
}

/// 240,000 iterations of 29 instructions: seven chains of three, three of a multiplication and an addition.
#[cfg(target_arch = "x86_64")]
#[inline(never)]
fn kernel() {
    // SAFETY: the block computes in the registers that it declares, and accesses no memory. The compiler is not told the
    // latter (`nomem`), so that it moves nothing across the block.
    unsafe {
        std::arch::asm!(
            include_str!("x86-64.s"),
            out("rax") _, out("rcx") _, out("rdx") _, out("rsi") _, out("rdi") _, out("r8") _, out("r9") _,
            out("r10") _, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
            options(nostack),
        );
    }
}

/// 196,608 iterations of 38 instructions: ten chains of three, three of a multiplication and an addition.
#[cfg(target_arch = "aarch64")]
#[inline(never)]
fn kernel() {
    // SAFETY: as for x86-64.
    unsafe {
        std::arch::asm!(
            include_str!("aarch64.s"),
            out("x0") _, out("x1") _, out("x2") _, out("x3") _, out("x4") _, out("x5") _, out("x6") _, out("x7") _,
            out("x8") _, out("x9") _, out("x10") _, out("x11") _, out("x12") _, out("x13") _, out("x14") _,
            out("x15") _,
            options(nostack),
        );
    }
}

/// Such chains as the compiler makes them: compared within one program only.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn kernel() {
    portable();
}

#[cfg(any(test, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
#[inline(never)]
fn portable() {
    const ITERATIONS: u32 = 200_000;
    const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
    let (mut sums, mut products) = (black_box([1_u64; 5]), black_box([1_u64; 3]));
    for _ in 0..ITERATIONS {
        for sum in &mut sums {
            *sum = sum.wrapping_add(STEP).rotate_left(13) ^ STEP;
        }
        for product in &mut products {
            *product = product.wrapping_mul(0x2545_F491).wrapping_add(STEP);
        }
    }
    black_box((sums, products));
}

/// Copies before one is timed, the same number in every kit. A codec leaves its own data in the caches: after ciborium's
/// loops over `mesh` the first copy took five times as long as after an empty loop, the second twice, the fourth as long.
const COPIES_BEFORE: usize = 3;

/// Two buffers, of which one is copied into the other: for scenarios whose data are in no cache near the core.
pub struct Copy {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl Copy {
    /// Buffers of so many bytes, written once, so that the system has given them memory.
    pub fn new(bytes: usize) -> Self {
        Self {
            from: black_box(vec![1; bytes]),
            to: black_box(vec![2; bytes]),
        }
    }

    /// Copies until the buffers are where a copy leaves them, then once more, and tells how long that took.
    pub fn time_ns(&mut self) -> u64 {
        for _ in 0..COPIES_BEFORE {
            self.run();
        }
        let clock = Instant::now();
        self.run();
        nanoseconds(clock.elapsed())
    }

    #[inline(never)]
    fn run(&mut self) {
        self.to.copy_from_slice(black_box(&self.from));
        black_box(&mut self.to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_ends() {
        kernel();
        portable();
    }

    #[test]
    fn the_copy_is_whole() {
        let mut copy = Copy::new(1000);
        copy.time_ns();
        assert_eq!(copy.to, copy.from);
    }
}
