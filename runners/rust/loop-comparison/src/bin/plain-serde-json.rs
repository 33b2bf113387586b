//! serde_json in a plain loop.

fn main() {
    loop_comparison::plain(
        |message, buffer| serde_json::to_writer(buffer, message).unwrap(),
        |bytes| serde_json::from_slice(bytes).unwrap(),
    );
}
