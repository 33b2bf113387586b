//! Offers the shared message types of codecs that take any of them.

use wirelab_kit::{Decode, Encode, Message, Runner};

use crate::arrays::visit_arrays;
use crate::data_size::DataSize;
use crate::types::{
    EnumFields, LargeVectors, LongStrings, LongStringsRef, Point, ProcessCreated, ProcessCreatedRef,
};

/// A shared message type.
pub trait Shared: Message + DataSize + Clone {}

/// Something that is built from the shared message types, one after another.
pub trait Visit: Sized {
    fn visit<T: Shared>(self) -> Self;
}

/// The list of shared message types, in one place: those with a borrowed form, then the others.
macro_rules! shared {
    ($($borrowable:ident as $borrowed:ident,)* ; $($message:ident,)*) => {
        $(impl Shared for $borrowable {})*
        $(impl Shared for $message {})*

        /// Offers each shared message type.
        pub fn serve<C>(runner: Runner<C>) -> Runner<C>
        where
            $(C: Encode<$borrowable> + for<'a> Decode<'a, $borrowable>,)*
            $(C: Encode<$message> + for<'a> Decode<'a, $message>,)*
        {
            runner$(.message::<$borrowable>())*$(.message::<$message>())*
        }

        /// Offers each shared message type, and as output also the borrowed forms that some have.
        pub fn serve_borrowed<C>(runner: Runner<C>) -> Runner<C>
        where
            $(C: Encode<$borrowable> + for<'a> Decode<'a, $borrowable>,)*
            $(C: for<'a> Decode<'a, $borrowed<'a>>,)*
            $(C: Encode<$message> + for<'a> Decode<'a, $message>,)*
        {
            serve(runner)$(.borrowed::<$borrowable>())*
        }

        /// Visits each shared message type, the arrays too.
        pub fn visit_shared<V: Visit>(visitor: V) -> V {
            visit_arrays(visitor$(.visit::<$borrowable>())*$(.visit::<$message>())*)
        }
    };
}

shared! {
    ProcessCreated as ProcessCreatedRef,
    LongStrings as LongStringsRef,
    ;
    Point,
    LargeVectors,
    EnumFields,
}
