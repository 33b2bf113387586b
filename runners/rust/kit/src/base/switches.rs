//! How often the system took the processor from this thread.

/// Involuntary context switches so far: of this thread on Linux, of the process on other Unix systems; None elsewhere.
#[cfg(unix)]
pub fn involuntary() -> Option<u64> {
    #[cfg(target_os = "linux")]
    const WHO: libc::c_int = libc::RUSAGE_THREAD;
    #[cfg(not(target_os = "linux"))]
    const WHO: libc::c_int = libc::RUSAGE_SELF;

    let mut usage = std::mem::MaybeUninit::<libc::rusage>::uninit();
    // SAFETY: the pointer is to a struct of the type that the call fills.
    let status = unsafe { libc::getrusage(WHO, usage.as_mut_ptr()) };
    if status != 0 {
        return None;
    }
    // SAFETY: the call succeeded, so it filled the struct.
    let usage = unsafe { usage.assume_init() };
    u64::try_from(usage.ru_nivcsw).ok()
}

#[cfg(not(unix))]
pub fn involuntary() -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_never_falls() {
        assert_eq!(involuntary().is_some(), cfg!(unix));
        assert!(involuntary() >= involuntary().map(|_| 0));
        let before = involuntary();
        std::thread::yield_now();
        assert!(involuntary() >= before);
    }
}
