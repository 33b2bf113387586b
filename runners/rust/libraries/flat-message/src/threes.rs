//! Canonical JSON of vectors of three numbers, which FlatMessage stores in one list: for serde's `with`.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::Serializer;

/// Writes the numbers in lists of three.
///
/// # Errors
/// Those of the serializer.
pub fn serialize<S: Serializer>(numbers: &[f64], to: S) -> Result<S::Ok, S::Error> {
    to.collect_seq(numbers.chunks(3))
}

/// Reads the numbers from lists of three.
///
/// # Errors
/// Those of the deserializer, and a list of another length.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<f64>, D::Error> {
    let threes = Vec::<Vec<f64>>::deserialize(from)?;
    if threes.iter().any(|three| three.len() != 3) {
        return Err(D::Error::custom("a vector has three numbers"));
    }
    Ok(threes.concat())
}
