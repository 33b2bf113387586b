//! Canonical JSON of vectors of three numbers, which FlatMessage has in one list: for serde's `with`.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::Serializer;

/// The numbers in lists of three.
///
/// # Errors
/// What the serializer says.
pub fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(numbers.chunks(3))
}

/// The numbers of lists of three.
///
/// # Errors
/// What the deserializer says; a list of another length.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let threes = Vec::<Vec<f64>>::deserialize(from)?;
    if threes.iter().any(|three| three.len() != 3) {
        return Err(D::Error::custom("a vector does not have three numbers"));
    }
    Ok(threes.concat())
}
