//! `describe`: what a runner says of itself.

use serde::Serialize;

use crate::canonical;
use crate::cell::Cell;
use crate::failure::Failure;
use crate::lockfile;

/// The version of the runner protocol.
const PROTOCOL: u32 = 1;

/// What a codec is. The rest of `describe` follows from it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// `rust/` and the name of the codec's folder.
    pub codec: &'static str,
    /// The name of the wire format, as its specification writes it.
    pub format: &'static str,
    /// The measured package, as [`lockfile::version`] finds it. A control has none.
    pub library: Option<&'static str>,
    /// How the library learns of the message type: `serde`, `derive`, `generated` or `manual`.
    pub api: &'static str,
    /// Whether the library checks what it decodes.
    pub validation: bool,
    /// Whether encoded messages carry the names (or hashes of the names) and the types of their fields.
    pub self_describing: bool,
}

impl About {
    /// A codec that encodes no format: the cost of something else, measured beside the codecs.
    pub const fn control(codec: &'static str) -> Self {
        Self {
            codec,
            format: "none",
            library: None,
            api: "manual",
            validation: false,
            self_describing: false,
        }
    }

    pub(crate) const fn is_control(&self) -> bool {
        self.library.is_none()
    }
}

#[derive(Serialize)]
struct Description<'a> {
    protocol: u32,
    codec: &'a str,
    format: &'a str,
    library: Option<&'a str>,
    version: Option<&'a str>,
    language: &'a str,
    compiler: &'a str,
    flags: &'a str,
    control: bool,
    self_describing: bool,
    cells: &'a [Cell],
}

/// The description as one line of JSON.
pub fn describe(about: &About, cells: &[Cell]) -> Result<Vec<u8>, Failure> {
    let description = Description {
        protocol: PROTOCOL,
        codec: about.codec,
        format: about.format,
        library: about.library.map(package),
        version: about.library.map(version).transpose()?,
        language: "rust",
        compiler: env!("WIRELAB_COMPILER"),
        flags: env!("WIRELAB_FLAGS"),
        control: about.is_control(),
        self_describing: about.self_describing,
        cells,
    };
    let mut json = Vec::new();
    canonical::write(&description, &mut json).map_err(Failure::Internal)?;
    Ok(json)
}

/// The package of `package@version`.
fn package(library: &str) -> &str {
    library.split_once('@').map_or(library, |(name, _)| name)
}

fn version(library: &str) -> Result<&'static str, Failure> {
    lockfile::version(library).ok_or_else(|| {
        Failure::Internal(format!(
            "Cargo.lock does not have exactly one version of {library}"
        ))
    })
}
