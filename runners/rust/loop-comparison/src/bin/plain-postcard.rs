//! postcard in plain loops.

use std::hint::black_box;

use loop_comparison::{Library, include, run};
use wirelab_kit::Message;
use wirelab_messages::{
    EnumFields, LargeVectors, LongStrings, LongStringsRef, Point, ProcessCreated, ProcessCreatedRef,
};

struct Postcard;

impl<T: Message> Library<T> for Postcard {
    #[inline(never)]
    fn serialize(message: &T, buffer: &mut Vec<u8>) {
        postcard::to_io(message, buffer).unwrap();
    }

    #[inline(never)]
    fn deserialize(bytes: &[u8]) -> T {
        postcard::from_bytes(bytes).unwrap()
    }
}

fn main() {
    include::<Postcard, Point>();
    include::<Postcard, LongStrings>();
    include::<Postcard, LargeVectors>();
    include::<Postcard, EnumFields>();
    black_box(postcard::from_bytes::<ProcessCreatedRef> as fn(&'static [u8]) -> _);
    black_box(postcard::from_bytes::<LongStringsRef> as fn(&'static [u8]) -> _);
    run::<Postcard, ProcessCreated>();
}
