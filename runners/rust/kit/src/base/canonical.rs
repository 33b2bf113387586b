//! Canonical JSON: the form in which values enter and leave a runner.
//!
//! A number is the shortest decimal that reads back as the same value. Objects, arrays and strings follow serde's data
//! model. The JSON library is `struson`, which no codec measures.

use serde::Serialize;
use serde::de::DeserializeOwned;
use struson::reader::{JsonReader, JsonStreamReader, ReaderSettings};
use struson::writer::{JsonStreamWriter, JsonWriter};

/// Reads the one value that `json` holds.
pub fn read<T: DeserializeOwned>(json: &[u8]) -> Result<T, String> {
    let settings = ReaderSettings {
        // Its default refuses numbers of more than 100 digits, but the shortest decimal of an f64 has up to 327.
        restrict_number_values: false,
        ..ReaderSettings::default()
    };
    let mut reader = JsonStreamReader::new_custom(json, settings);
    let value = reader.deserialize_next().map_err(|e| e.to_string())?;
    reader
        .consume_trailing_whitespace()
        .map_err(|e| e.to_string())?;
    Ok(value)
}

/// Reads JSON Lines: one value a line, each with `read`.
pub fn each_line<T>(
    lines: &[u8],
    read: impl Fn(&[u8]) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    lines
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
        .map(|(index, line)| read(line).map_err(|error| format!("line {}: {error}", index + 1)))
        .collect()
}

/// Appends `value` and a line end to `json`.
///
/// # Errors
/// NaN, infinities, and types that JSON cannot represent.
pub fn write<T: Serialize>(value: &T, json: &mut Vec<u8>) -> Result<(), String> {
    let mut writer = JsonStreamWriter::new(&mut *json);
    writer.serialize_value(value).map_err(|e| e.to_string())?;
    writer.finish_document().map_err(|e| e.to_string())?;
    json.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written<T: Serialize>(value: T) -> String {
        let mut json = Vec::new();
        write(&value, &mut json).unwrap();
        String::from_utf8(json).unwrap()
    }

    #[test]
    fn f32_is_its_own_shortest_decimal_and_not_that_of_the_f64() {
        assert_eq!(
            written([0.1_f32, -1e6, f32::MAX]),
            "[0.1,-1000000,340282350000000000000000000000000000000]\n"
        );
        assert_eq!(read::<Vec<f32>>(b"[0.1]").unwrap(), [0.1_f32]);
    }

    #[test]
    fn floats_keep_their_bits() {
        for value in [
            -0.0_f64,
            5e-324,
            f64::MAX,
            f64::MIN_POSITIVE,
            0.1,
            1.0 / 3.0,
        ] {
            let back: f64 = read(written(value).as_bytes()).unwrap();
            assert_eq!(back.to_bits(), value.to_bits(), "{value}");
        }
        for value in [-0.0_f32, 1e-45, f32::MAX, f32::MIN_POSITIVE, 0.1, 1.0 / 3.0] {
            let back: f32 = read(written(value).as_bytes()).unwrap();
            assert_eq!(back.to_bits(), value.to_bits(), "{value}");
        }
    }

    #[test]
    fn integers_keep_their_digits() {
        assert_eq!(
            written((u64::MAX, i64::MIN)),
            "[18446744073709551615,-9223372036854775808]\n"
        );
        assert_eq!(read::<u64>(b"18446744073709551615").unwrap(), u64::MAX);
    }

    #[test]
    fn what_is_not_one_value_is_refused() {
        assert!(read::<u32>(b"1 2").is_err());
        assert!(read::<u32>(b"").is_err());
        assert!(write(&f64::NAN, &mut Vec::new()).is_err());
    }

    #[test]
    fn a_bad_line_is_named() {
        assert_eq!(each_line(b"1\n2\n", read::<u32>).unwrap(), [1, 2]);
        assert!(
            each_line(b"1\nx\n", read::<u32>)
                .unwrap_err()
                .starts_with("line 2: ")
        );
    }
}
