//! What the generated conversion between plain types and structs of Cap'n Proto stands on.

use capnp::traits::Owned;
use wirelab_kit::Looked;
use wirelab_kit::files::Failure;

/// Why a list of bytes cannot be looked at: its elements are structs.
pub const NO_OCTETS: &str = "a list of other elements instead of bytes";

/// A message that is stored in a struct.
pub trait Rooted: Sized + 'static {
    type Root: Owned;

    fn build(&self, builder: <Self::Root as Owned>::Builder<'_>);

    fn read(reader: <Self::Root as Owned>::Reader<'_>) -> Result<Self, Failure>;

    /// Reads every field in place.
    fn look(reader: <Self::Root as Owned>::Reader<'_>, looked: &mut Looked) -> Result<(), Failure>;

    /// Reads the fields that a scenario names.
    fn look_at_named(
        reader: <Self::Root as Owned>::Reader<'_>,
        looked: &mut Looked,
    ) -> Result<(), Failure>;
}

/// The length of a list: fewer than 2^29 elements, of which Cap'n Proto has none longer.
pub fn length(elements: usize) -> u32 {
    u32::try_from(elements).expect("a list of Cap'n Proto has fewer than 2^29 elements")
}

/// The bytes of an array.
pub fn octets<const N: usize>(bytes: &[u8]) -> Result<[u8; N], Failure> {
    let length = bytes.len();
    bytes
        .try_into()
        .map_err(|_| format!("{length} bytes instead of {N}").into())
}

/// The elements of an array.
pub fn exactly<T, const N: usize>(items: Vec<T>) -> Result<[T; N], Failure> {
    let length = items.len();
    items
        .try_into()
        .map_err(|_| format!("{length} elements instead of {N}").into())
}
