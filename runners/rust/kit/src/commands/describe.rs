//! `describe`: what a runner is and which cells it offers.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::canary;
use crate::base::canonical;
use crate::base::failure::Failure;
use crate::base::lockfile;
use crate::measuring::cell::Cell;

/// The version of the runner protocol.
const PROTOCOL: u32 = 1;

/// What a codec is. The rest of `describe` follows from it.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// `rust/` and the name of the codec's folder.
    pub codec: &'static str,
    /// The name of the wire format, as its specification writes it.
    pub format: &'static str,
    /// The measured package, as [`lockfile::version`] takes it. None for a control.
    pub library: Option<&'static str>,
    /// How the library learns of the message type: `serde`, `derive`, `generated` or `manual`.
    pub api: &'static str,
    /// Whether the library checks what it decodes.
    pub validation: bool,
    /// Whether encoded messages carry the names (or hashes of the names) and the types of their fields.
    pub self_describing: bool,
    /// What a type may not have, and why: messages with such a feature are not offered.
    pub cannot: &'static [Limit],
    /// What a type may have only in another shape: what stands in its place.
    pub instead: &'static [Limit],
}

/// A feature of types by its name in the lab (`map`, `u128`, …), and a reason or a substitute.
pub type Limit = (&'static str, &'static str);

impl Default for About {
    /// A control, which encodes no format, has no library and takes any type.
    fn default() -> Self {
        Self {
            codec: "",
            format: "none",
            library: None,
            api: "manual",
            validation: false,
            self_describing: false,
            cannot: &[],
            instead: &[],
        }
    }
}

impl About {
    /// Whether the codec can take messages whose types have these features.
    ///
    /// A u64 is a matter of values: one up to 2^63-1 fits where there are integers with a sign alone, and those of structs
    /// do. It excludes a list of them.
    pub(crate) fn takes(&self, features: &[&str]) -> bool {
        let has = |name: &str| features.contains(&name);
        let small = has("struct");
        !self
            .cannot
            .iter()
            .any(|&(feature, _)| has(feature) && !(feature == "u64" && small))
    }
}

/// What a control does in place of serializing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// It copies the bytes of the value: no codec can be much faster.
    Copy,
    /// It makes a deep copy of the value in memory.
    Clone,
    /// It does no work: what remains is the cost of the loop.
    Nothing,
}

/// The codec whose code for an operation is call by call the same, for each operation where there is one. What differs
/// between such two is how the lab measures, not the codecs.
pub type Identical = BTreeMap<&'static str, &'static str>;

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
    canary: &'a str,
    identical: &'a Identical,
    control: bool,
    role: Option<Role>,
    self_describing: bool,
    cannot: BTreeMap<&'a str, &'a str>,
    instead: BTreeMap<&'a str, &'a str>,
    any: &'a [&'a str],
    batch: bool,
    cells: &'a [Cell],
}

/// The description as one line of JSON.
pub fn describe(
    about: &About,
    role: Option<Role>,
    identical: &Identical,
    any: bool,
    cells: &[Cell],
) -> Result<Vec<u8>, Failure> {
    let description = Description {
        protocol: PROTOCOL,
        codec: about.codec,
        format: about.format,
        library: about.library.map(package),
        version: about.library.map(version).transpose()?,
        language: "rust",
        compiler: env!("WIRELAB_COMPILER"),
        flags: env!("WIRELAB_FLAGS"),
        canary: canary::NAME,
        identical,
        control: role.is_some(),
        role,
        self_describing: about.self_describing,
        cannot: about.cannot.iter().copied().collect(),
        instead: about.instead.iter().copied().collect(),
        any: if any { &["decode", "encode"] } else { &[] },
        batch: role.is_none(),
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
