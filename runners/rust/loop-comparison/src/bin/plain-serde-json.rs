//! serde_json in plain loops.

use std::hint::black_box;

use loop_comparison::{Library, include, run};
use wirelab_kit::Message;
use wirelab_messages::{
    EnumFields, LargeVectors, LongStrings, LongStringsRef, Point, ProcessCreated, ProcessCreatedRef,
};

struct SerdeJson;

impl<T: Message> Library<T> for SerdeJson {
    #[inline(never)]
    fn serialize(message: &T, buffer: &mut Vec<u8>) {
        serde_json::to_writer(buffer, message).unwrap();
    }

    #[inline(never)]
    fn deserialize(bytes: &[u8]) -> T {
        serde_json::from_slice(bytes).unwrap()
    }
}

fn main() {
    include::<SerdeJson, Point>();
    include::<SerdeJson, LongStrings>();
    include::<SerdeJson, LargeVectors>();
    include::<SerdeJson, EnumFields>();
    black_box(serde_json::from_slice::<ProcessCreatedRef> as fn(&'static [u8]) -> _);
    black_box(serde_json::from_slice::<LongStringsRef> as fn(&'static [u8]) -> _);
    run::<SerdeJson, ProcessCreated>();
}
