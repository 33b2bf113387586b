//! The control that copies: the physical limit at a message's data size and cache state, and for rows in files the cost
//! of writing and reading as many bytes, framed.

use std::convert::Infallible;
use std::process::ExitCode;

use wirelab_kit::{Codec, DecodeInto, Encode, Role, Runner};
use wirelab_messages::{Raw, Shared, Visit, serve_raw_files, visit_shared};

#[derive(Default)]
struct Memcpy;

impl Codec for Memcpy {
    type Buffer = Vec<u8>;
    type EncodeError = Infallible;
    type DecodeError = Infallible;
}

impl<T> Encode<Raw<T>> for Memcpy {
    fn encode(&mut self, value: &Raw<T>, buffer: &mut Vec<u8>) -> Result<(), Infallible> {
        buffer.extend_from_slice(&value.bytes);
        Ok(())
    }
}

impl<T> DecodeInto<Raw<T>> for Memcpy {
    fn decode_into(&mut self, input: &[u8], value: &mut Raw<T>) -> Result<(), Infallible> {
        value.bytes.clear();
        value.bytes.extend_from_slice(input);
        Ok(())
    }
}

struct Offer(Runner<Memcpy>);

impl Visit for Offer {
    fn visit<T: Shared>(self) -> Self {
        let runner = self.0.serialize_reused::<Raw<T>>();
        Self(runner.existing::<Raw<T>>())
    }
}

fn main() -> ExitCode {
    let runner = Runner::control("rust/memcpy", Role::Copy);
    serve_raw_files(visit_shared(Offer(runner)).0).run()
}
