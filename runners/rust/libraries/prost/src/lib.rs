//! What the codecs of prost share: the messages with its derive, and the rows of logs.

pub mod logs;
pub mod messages;
