//! What the plain programs share: the loop as written by hand.

use std::env;
use std::fs;
use std::hint::black_box;
use std::time::Instant;

use wirelab_kit::{Message, canonical};

/// A library's two calls for messages of type `T`, each a function of its own (`#[inline(never)]`).
pub trait Library<T> {
    fn serialize(message: &T, buffer: &mut Vec<u8>);
    fn deserialize(bytes: &[u8]) -> T;
}

/// The program `plain-X OPERATION REPETITIONS INPUT`: prints how many nanoseconds the loop took.
///
/// # Panics
/// Where the arguments are others, or the library fails.
pub fn run<L: Library<T>, T: Message>() {
    let arguments: Vec<String> = env::args().collect();
    let [_, operation, repetitions, input] = &arguments[..] else {
        panic!("usage: plain-X OPERATION REPETITIONS INPUT")
    };
    let repetitions: u64 = repetitions.parse().expect("REPETITIONS is a number");
    let json = fs::read(input).expect("INPUT is a file");

    let message: T = canonical::read(&json).expect("INPUT is canonical JSON");
    let mut encoded = Vec::new();
    L::serialize(&message, &mut encoded);
    let mut buffer = Vec::new();

    let start = Instant::now();
    match operation.as_str() {
        "serialize" => {
            for _ in 0..repetitions {
                buffer.clear();
                L::serialize(black_box(&message), &mut buffer);
                black_box(&buffer);
            }
        }
        "deserialize" => {
            for _ in 0..repetitions {
                black_box(&L::deserialize(black_box(&encoded)));
            }
        }
        "round-trip" => {
            for _ in 0..repetitions {
                buffer.clear();
                L::serialize(black_box(&message), &mut buffer);
                black_box(&L::deserialize(black_box(&buffer)));
            }
        }
        other => panic!("no operation {other}"),
    }
    println!("{}", start.elapsed().as_nanos());
}

/// Compiles the library's calls for `T` into the program.
///
/// Which of a library's functions the compiler inlines depends on the rest of the program, and moves a codec's times by
/// 15 % and more. So the plain programs contain the same calls as the runners.
pub fn include<L: Library<T>, T>() {
    black_box(L::serialize as fn(&T, &mut Vec<u8>));
    black_box(L::deserialize as fn(&[u8]) -> T);
}
