//! prost in plain loops.

#[allow(
    clippy::all,
    nonstandard_style,
    unused,
    reason = "generated for types of any shape"
)]
mod types {
    include!(concat!(env!("WIRELAB_TYPES"), "/rust/prost/types.rs"));
}

use loop_comparison::{Library, include, run};
use prost::Message;
use types::messages::{LargeVectors, LongStrings, Point, ProcessCreated};

struct Prost;

impl<T: Message + Default> Library<T> for Prost {
    #[inline(never)]
    fn serialize(message: &T, buffer: &mut Vec<u8>) {
        message.encode(buffer).unwrap();
    }

    #[inline(never)]
    fn deserialize(bytes: &[u8]) -> T {
        T::decode(bytes).unwrap()
    }
}

fn main() {
    include::<Prost, Point>();
    include::<Prost, LongStrings>();
    include::<Prost, LargeVectors>();
    run::<Prost, ProcessCreated>();
}
