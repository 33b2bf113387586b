//! The system's page cache: how much of a file it holds, and how to evict a file from it.

use std::fs::File;
use std::io;

/// Whether a file's pages can be evicted on this system.
pub const CAN_EVICT: bool = cfg!(target_os = "linux");

/// Writes the file's pages back and evicts them, so that the next read goes to the disk.
///
/// # Errors
/// Where the system cannot evict them.
#[cfg(target_os = "linux")]
pub fn evict(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    file.sync_data()?; // dirty pages are not evicted
    // SAFETY: the descriptor is open, and the other arguments are numbers.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn evict(_: &File) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this system cannot evict a file's pages",
    ))
}

/// How many bytes of the file the system's cache holds, in whole pages; None where the system does not tell.
///
/// Maps a gigabyte of the file at a time and touches none of it.
#[cfg(target_os = "linux")]
pub fn cached_bytes(file: &File) -> Option<u64> {
    use std::os::fd::AsRawFd;
    use std::ptr::null_mut;

    const WINDOW: u64 = 1 << 30;
    // SAFETY: the call returns a number and touches no memory of ours.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let length = file.metadata().ok()?.len();
    let mut cached = 0;
    for start in (0..length).step_by(WINDOW as usize) {
        let bytes = usize::try_from(WINDOW.min(length - start)).ok()?;
        let offset = libc::off_t::try_from(start).ok()?;
        let mut pages = vec![0_u8; bytes.div_ceil(page as usize)];
        // SAFETY: a new mapping of an open file, which is never read and is unmapped here; `pages` has a byte for each page.
        let status = unsafe {
            let map = libc::mmap(
                null_mut(),
                bytes,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                offset,
            );
            if map == libc::MAP_FAILED {
                return None;
            }
            let status = libc::mincore(map, bytes, pages.as_mut_ptr());
            libc::munmap(map, bytes);
            status
        };
        if status != 0 {
            return None;
        }
        cached += page * pages.iter().filter(|&&page| page & 1 == 1).count() as u64;
    }
    Some(cached)
}

#[cfg(not(target_os = "linux"))]
pub fn cached_bytes(_: &File) -> Option<u64> {
    None
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn a_file_that_was_written_is_cached_until_it_is_evicted() {
        let path = std::env::temp_dir().join(format!("wirelab-cache-{}", std::process::id()));
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)
            .unwrap();
        file.write_all(&vec![1; 1 << 20]).unwrap();
        let before = cached_bytes(&file).unwrap();
        evict(&file).unwrap();
        let after = cached_bytes(&file).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(before, 1 << 20);
        // A file system in memory keeps the pages.
        assert!(after == 0 || after == before, "{after}");
    }
}
