//! The folder of the keys for encrypted scenarios: the runner's `--keys FOLDER`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Failure;

static FOLDER: OnceLock<PathBuf> = OnceLock::new();

/// Sets the folder of the keys. Only the first call has an effect.
pub fn set_key_folder(folder: &Path) {
    FOLDER.get_or_init(|| folder.to_path_buf());
}

/// The path of a key.
///
/// # Errors
/// Where the runner was given no `--keys`, or the folder has no such file.
pub fn key_file(name: &str) -> Result<PathBuf, Failure> {
    let folder = FOLDER
        .get()
        .ok_or("this scenario is encrypted; give --keys the folder of its keys")?;
    let path = folder.join(name);
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("no key {} in the folder given with --keys", name).into())
    }
}
