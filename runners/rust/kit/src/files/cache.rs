//! The system's cache of file pages: what of a file it holds, and how to have it forget a file.

use std::fs::File;
use std::io;

/// Whether this system lets go of a file's pages when it is asked to.
pub const CAN_DROP: bool = cfg!(target_os = "linux");

/// Has the system write the file's pages back and let go of them, so that reading goes to the disk.
///
/// # Errors
/// Where the system does not do it.
#[cfg(target_os = "linux")]
pub fn forget(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    file.sync_data()?; // pages that wait to be written are kept
    // SAFETY: the call takes a descriptor, which is open, and numbers.
    match unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn forget(_: &File) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this system cannot be asked to forget a file's pages",
    ))
}

/// How many bytes of the file the system's cache holds, in whole pages; None where it does not tell.
///
/// A gigabyte of the file is mapped at a time and none of it touched.
#[cfg(target_os = "linux")]
pub fn cached_bytes(file: &File) -> Option<u64> {
    use std::os::fd::AsRawFd;
    use std::ptr::null_mut;

    const WINDOW: u64 = 1 << 30;
    // SAFETY: it asks for a number.
    let page = u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).ok()?;
    let length = file.metadata().ok()?.len();
    let mut cached = 0;
    for start in (0..length).step_by(WINDOW as usize) {
        let bytes = usize::try_from(WINDOW.min(length - start)).ok()?;
        let place = libc::off_t::try_from(start).ok()?;
        let mut pages = vec![0_u8; bytes.div_ceil(page as usize)];
        // SAFETY: a new mapping of an open file, which nobody reads and which ends here; `pages` has a byte a page.
        let told = unsafe {
            let map = libc::mmap(
                null_mut(),
                bytes,
                libc::PROT_READ,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                place,
            );
            if map == libc::MAP_FAILED {
                return None;
            }
            let told = libc::mincore(map, bytes, pages.as_mut_ptr());
            libc::munmap(map, bytes);
            told
        };
        if told != 0 {
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
    fn a_file_that_was_written_is_cached_until_it_is_forgotten() {
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
        forget(&file).unwrap();
        let after = cached_bytes(&file).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(before, 1 << 20);
        // A file system in memory has nowhere else to keep it.
        assert!(after == 0 || after == before, "{after}");
    }
}
