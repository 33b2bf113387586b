//! The messages of a row scenario, one after another: each behind its length as a little-endian u32.

/// Appends one framed message.
pub fn write(message: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let length = u32::try_from(message.len()).map_err(|_| {
        format!(
            "a message of {} bytes is too long for a frame",
            message.len()
        )
    })?;
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(message);
    Ok(())
}

/// The messages in `bytes`, in order. An incomplete frame is an error, and the last item.
pub fn read(bytes: &[u8]) -> impl Iterator<Item = Result<&[u8], String>> {
    let mut rest = bytes;
    let mut index = 0;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        index += 1;
        let frame = split(rest);
        rest = frame.map_or(&[], |(_, after)| after);
        Some(match frame {
            Some((message, _)) => Ok(message),
            None => Err(format!("frame {index} claims more bytes than follow it")),
        })
    })
}

/// The first message of `bytes` and the rest.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    rest.split_at_checked(u32::from_le_bytes(*length) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_in_order() {
        let mut bytes = Vec::new();
        for message in [&b"one"[..], b"", b"three"] {
            write(message, &mut bytes).unwrap();
        }
        assert_eq!(bytes[..7], *b"\x03\0\0\0one");
        let messages: Vec<_> = read(&bytes).collect();
        assert_eq!(messages, [Ok(&b"one"[..]), Ok(b""), Ok(b"three")]);
    }

    #[test]
    fn a_cut_frame_is_an_error_and_the_end() {
        for bytes in [&b"\x01\0"[..], b"\x02\0\0\0x", b"\xff\xff\xff\xffx"] {
            let messages: Vec<_> = read(bytes).collect();
            assert_eq!(
                messages,
                [Err("frame 1 claims more bytes than follow it".to_owned())]
            );
        }
    }
}
