//! prost in a plain loop.

use prost::Message;

fn main() {
    loop_comparison::plain(
        |message, buffer| message.encode(buffer).unwrap(),
        |bytes| Message::decode(bytes).unwrap(),
    );
}
