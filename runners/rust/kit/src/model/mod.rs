//! What a codec implements, what it encodes, and what comes out.

pub mod buffer;
pub mod codec;
pub mod compression;
pub mod look;
pub mod message;
pub mod product;
