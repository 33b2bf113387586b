//! What the testees share: a testee is the program that the conformance tests of Protocol Buffers ask of a library.
//! Requests and responses follow their length as u32 little-endian.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};

/// The request for the tests that are known to fail: none.
pub const FAILURES: &str = "conformance.FailureSet";
/// The types of the messages that are read and written again.
pub const PROTO2: &str = "protobuf_test_messages.proto2.TestAllTypesProto2";
pub const PROTO3: &str = "protobuf_test_messages.proto3.TestAllTypesProto3";
pub const PROTO2_EDITIONS: &str = "protobuf_test_messages.editions.proto2.TestAllTypesProto2";
pub const PROTO3_EDITIONS: &str = "protobuf_test_messages.editions.proto3.TestAllTypesProto3";
pub const EDITION_2023: &str = "protobuf_test_messages.editions.TestAllTypesEdition2023";
/// Why a request is skipped.
pub const BINARY_ALONE: &str = "the binary format alone is measured";
pub const NO_EDITIONS: &str = "the library compiles no editions";

/// Answers requests until there are no more.
///
/// # Errors
///
/// What reading or writing gives, and a request that cannot be read.
pub fn serve(
    mut answer: impl FnMut(&[u8]) -> Result<Vec<u8>, Box<dyn Error + Send + Sync>>,
) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut length = [0; 4];
    loop {
        match input.read_exact(&mut length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(()),
            read => read?,
        }
        let mut request = Vec::new();
        let wanted = u64::from(u32::from_le_bytes(length));
        if input.by_ref().take(wanted).read_to_end(&mut request)? as u64 != wanted {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let response = answer(&request).map_err(io::Error::other)?;
        let length = u32::try_from(response.len()).map_err(io::Error::other)?;
        output.write_all(&length.to_le_bytes())?;
        output.write_all(&response)?;
        output.flush()?;
    }
}
