//! postcard in a plain loop.

fn main() {
    loop_comparison::plain(
        |message, buffer| {
            postcard::to_io(message, buffer).unwrap();
        },
        |bytes| postcard::from_bytes(bytes).unwrap(),
    );
}
