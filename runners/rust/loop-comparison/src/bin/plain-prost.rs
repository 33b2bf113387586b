//! prost in plain loops.

use loop_comparison::{Library, include, run};
use prost::Message;
use wirelab_prost::messages::{LargeVectors, LongStrings, Point, ProcessCreated};

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
