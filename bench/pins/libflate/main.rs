//! Packs standard input as zlib with libflate's own settings, all of it written at once: the size depends on that.

use std::io::{self, Read, Write};

fn main() -> io::Result<()> {
    let mut content = Vec::new();
    io::stdin().lock().read_to_end(&mut content)?;
    let mut encoder = libflate::zlib::Encoder::new(Vec::new())?;
    encoder.write_all(&content)?;
    let packed = encoder.finish().into_result()?;
    io::stdout().lock().write_all(&packed)
}
