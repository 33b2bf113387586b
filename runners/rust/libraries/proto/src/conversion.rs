//! What the conversion between messages and plain types stands on.

use std::collections::BTreeMap;

use wirelab_kit::files::Failure;

/// The elements of an array.
pub fn exactly<T, const N: usize>(items: Vec<T>) -> Result<[T; N], Failure> {
    let length = items.len();
    items
        .try_into()
        .map_err(|_| format!("{length} elements instead of {N}").into())
}

/// Each element converted.
pub fn list<T, U>(
    items: impl IntoIterator<Item = T>,
    convert: impl FnMut(T) -> Result<U, Failure>,
) -> Result<Vec<U>, Failure> {
    items.into_iter().map(convert).collect()
}

/// Each value converted.
pub fn map<T, U>(
    items: BTreeMap<String, T>,
    mut convert: impl FnMut(T) -> Result<U, Failure>,
) -> Result<BTreeMap<String, U>, Failure> {
    items
        .into_iter()
        .map(|(key, item)| Ok((key, convert(item)?)))
        .collect()
}

/// The value converted, if there is one.
pub fn optional<T, U>(
    item: Option<T>,
    convert: impl FnOnce(T) -> Result<U, Failure>,
) -> Result<Option<U>, Failure> {
    item.map(convert).transpose()
}

/// The message that a field must have.
pub fn present<T>(item: Option<T>, field: &str) -> Result<T, Failure> {
    item.ok_or_else(|| format!("the field {field} is missing").into())
}
