//! bincode in a plain loop.

use bincode::config::standard;

fn main() {
    loop_comparison::plain(
        |message, buffer| {
            bincode::encode_into_std_write(message, buffer, standard()).unwrap();
        },
        |bytes| bincode::decode_from_slice(bytes, standard()).unwrap().0,
    );
}
