//! bincode in plain loops.

use std::hint::black_box;

use bincode::config::standard;
use bincode::{BorrowDecode, Encode, borrow_decode_from_slice};
use loop_comparison::{Library, include, run};
use wirelab_bincode::{
    EnumFields, LargeVectors, LongStrings, LongStringsRef, Point, ProcessCreated, ProcessCreatedRef,
};

type Standard = bincode::config::Configuration;

struct Bincode;

impl<T: Encode + for<'a> BorrowDecode<'a, ()>> Library<T> for Bincode {
    #[inline(never)]
    fn serialize(message: &T, buffer: &mut Vec<u8>) {
        bincode::encode_into_std_write(message, buffer, standard()).unwrap();
    }

    #[inline(never)]
    fn deserialize(bytes: &[u8]) -> T {
        borrow_decode_from_slice(bytes, standard()).unwrap().0
    }
}

fn main() {
    include::<Bincode, Point>();
    include::<Bincode, LongStrings>();
    include::<Bincode, LargeVectors>();
    include::<Bincode, EnumFields>();
    black_box(borrow_decode_from_slice::<ProcessCreatedRef, Standard> as fn(&'static [u8], _) -> _);
    black_box(borrow_decode_from_slice::<LongStringsRef, Standard> as fn(&'static [u8], _) -> _);
    run::<Bincode, ProcessCreated>();
}
