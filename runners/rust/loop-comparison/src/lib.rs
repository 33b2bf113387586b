//! What the plain programs share: the message, and the loop as one writes it by hand.

use std::env;
use std::hint::black_box;
use std::time::Instant;

use serde::{Deserialize, Serialize};

/// The message with the derives of all the libraries that are compared.
#[derive(Serialize, Deserialize, bincode::Encode, bincode::Decode, prost::Message)]
pub struct ProcessCreated {
    #[prost(string, tag = 1)]
    pub name: String,
    #[prost(uint32, tag = 2)]
    pub pid: u32,
    #[prost(uint32, tag = 3)]
    pub parent_pid: u32,
    #[prost(string, tag = 4)]
    pub parent: String,
    #[prost(string, tag = 5)]
    pub user: String,
    #[prost(string, tag = 6)]
    pub command_line: String,
    #[prost(uint32, tag = 8)]
    pub timestamp: u32,
    #[prost(uint32, tag = 9)]
    pub unique_id: u32,
    #[prost(uint64, tag = 10)]
    pub memory_usage: u64,
    #[prost(bool, tag = 11)]
    pub protected_process: bool,
}

impl ProcessCreated {
    /// The value of the scenario process-created.
    pub fn example() -> Self {
        Self {
            name: r"C:\Windows\System32\Drivers\User\MyPath\example.exe".to_owned(),
            pid: 1234,
            parent_pid: 1024,
            parent: r"C:\Windows\System32\explorer.exe".to_owned(),
            user: "Administrator/Group".to_owned(),
            command_line: r"-help -verbose -debug -output C:\output.txt --read C:\Windows\System32\Drivers\User\MyPath\example.exe".to_owned(),
            timestamp: 0xFEFE_FEFE,
            unique_id: 0xABAB_ABAB,
            memory_usage: 0x0000_AABB_0011_2233,
            protected_process: true,
        }
    }
}

/// The program `plain-X OPERATION REPETITIONS`: prints how many nanoseconds the loop of that operation took.
///
/// `serialize` empties a buffer and writes the message to it, `deserialize` reads it back.
///
/// # Panics
/// Where the arguments are not those, or a library fails.
pub fn plain(
    serialize: impl Fn(&ProcessCreated, &mut Vec<u8>),
    deserialize: impl Fn(&[u8]) -> ProcessCreated,
) {
    let arguments: Vec<String> = env::args().collect();
    let [_, operation, repetitions] = &arguments[..] else {
        panic!("usage: plain-X OPERATION REPETITIONS")
    };
    let repetitions: u64 = repetitions.parse().expect("REPETITIONS is a number");

    let message = ProcessCreated::example();
    let mut encoded = Vec::new();
    serialize(&message, &mut encoded);
    let mut buffer = Vec::new();

    let start = Instant::now();
    match operation.as_str() {
        "serialize" => {
            for _ in 0..repetitions {
                buffer.clear();
                serialize(black_box(&message), &mut buffer);
                black_box(&buffer);
            }
        }
        "deserialize" => {
            for _ in 0..repetitions {
                black_box(&deserialize(black_box(&encoded)));
            }
        }
        "round-trip" => {
            for _ in 0..repetitions {
                buffer.clear();
                serialize(black_box(&message), &mut buffer);
                black_box(&deserialize(black_box(&buffer)));
            }
        }
        other => panic!("no operation {other}"),
    }
    println!("{}", start.elapsed().as_nanos());
}
