//! ciborium: `into_writer` into preallocated memory, and `from_reader`. It has no borrowed output.

use std::io;
use std::process::ExitCode;

use ciborium::ser::Error;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wirelab_kit::{About, Codec, Decode, Encode, Preallocated, Runner};

#[derive(Default)]
struct Ciborium;

/// Memory that is written to, as the library wants a writer: for itself. It tells how much was left when it is dropped.
struct Rest<'a>(&'a mut [u8], &'a mut usize);

impl io::Write for Rest<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        *self.1 = self.0.len();
    }
}

impl Codec for Ciborium {
    type Buffer = Preallocated;
    type EncodeError = Error<io::Error>;
    type DecodeError = ciborium::de::Error<io::Error>;
}

impl<T: Serialize> Encode<T> for Ciborium {
    fn encode(&mut self, value: &T, buffer: &mut Preallocated) -> Result<(), Error<io::Error>> {
        buffer.fill(
            |memory| {
                let (length, mut left) = (memory.len(), 0);
                ciborium::into_writer(value, Rest(memory, &mut left))?;
                Ok(length - left)
            },
            |error| matches!(error, Error::Io(_)),
        )
    }
}

impl<T: DeserializeOwned> Decode<'_, T> for Ciborium {
    fn decode(&mut self, input: &[u8]) -> Result<T, ciborium::de::Error<io::Error>> {
        ciborium::from_reader(input)
    }
}

fn main() -> ExitCode {
    let runner = Runner::<Ciborium>::new(About {
        codec: "rust/ciborium-slice",
        format: "CBOR",
        library: Some("ciborium"),
        api: "serde",
        validation: true,
        self_describing: true,
        ..About::default()
    })
    .identical("deserialize", "rust/ciborium");
    wirelab_messages::serve(runner).any(&["tag"]).run()
}
