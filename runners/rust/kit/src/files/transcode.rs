//! `encode`, `decode` and `filter` of files, in memory.

use std::io::Cursor;

use super::io::Outside;
use super::workload::record;
use super::{Failure, RowFile};
use crate::model::message::{self, Message};
use crate::model::product::Product;

/// Canonical JSON Lines to the bytes of a file.
pub fn encode<C: RowFile<R>, R: Message>(_: bool, json: &[u8]) -> Result<Vec<u8>, String> {
    let rows = message::read::<R>(true, json)?;
    let rows: Result<Vec<C::Row>, Failure> = rows.into_iter().map(C::row).collect();
    rows.and_then(|rows| bytes_of::<C, R>(&rows)).map_err(text)
}

/// The bytes of a file to canonical JSON Lines.
pub fn decode<C: RowFile<R>, R: Message>(_: bool, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut product = Product::new(true);
    let read = C::default().read(Outside(Cursor::new(bytes)), record::<C, R>(&mut product));
    read.map(|()| product.into_bytes()).map_err(text)
}

/// The bytes of a file to canonical JSON Lines of the rows that match the scenario's filter.
pub fn filter<C: RowFile<R>, R: Message>(_: bool, bytes: &[u8]) -> Result<Vec<u8>, String> {
    let mut product = Product::new(true);
    let read = C::default().filter(Outside(Cursor::new(bytes)), record::<C, R>(&mut product));
    read.map(|()| product.into_bytes()).map_err(text)
}

/// The bytes of a file with the rows.
pub(super) fn bytes_of<C: RowFile<R>, R>(rows: &[C::Row]) -> Result<Vec<u8>, Failure> {
    let mut file = Cursor::new(Vec::new());
    C::default().write(rows.iter(), &mut file)?;
    Ok(file.into_inner())
}

fn text(error: Failure) -> String {
    error.to_string()
}
