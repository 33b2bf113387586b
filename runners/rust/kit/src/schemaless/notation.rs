//! The notation of values of any type, one line of JSON each.
//!
//! Texts, lists, null and booleans are those of JSON; all else is an object of one key that names its type. Nothing here
//! recurses.

use std::fmt::Write;
use std::num::ParseIntError;

use struson::reader::{JsonReader, JsonStreamReader, ReaderError, ReaderSettings, ValueType};
use struson::writer::{JsonStreamWriter, JsonWriter};

use super::Any;
use super::conventions::DATETIME_TEXT;

/// The bits of every NaN: few libraries tell which one it was.
const NAN: u64 = 0x7ff8_0000_0000_0000;

/// What is left to write: a value, or the beginning or the end of something.
enum Part<'a> {
    Value(&'a Any),
    BeginArray,
    EndArray,
    EndObject,
}

/// Writes a value and a line end. `forms` are those of the codec: with `datetime`, a map as its library passes one is one.
pub fn write(value: &Any, forms: &[&str]) -> Result<Vec<u8>, String> {
    let mut line = Vec::new();
    let mut writer = JsonStreamWriter::new(&mut line);
    let mut rest = vec![Part::Value(value)];
    while let Some(part) = rest.pop() {
        write_part(part, forms, &mut rest, &mut writer).map_err(|e| e.to_string())?;
    }
    writer.finish_document().map_err(|e| e.to_string())?;
    line.push(b'\n');
    Ok(line)
}

fn write_part<'a>(
    part: Part<'a>,
    forms: &[&str],
    rest: &mut Vec<Part<'a>>,
    to: &mut impl JsonWriter,
) -> std::io::Result<()> {
    let value = match part {
        Part::BeginArray => return to.begin_array(),
        Part::EndArray => return to.end_array(),
        Part::EndObject => return to.end_object(),
        Part::Value(value) => value,
    };
    match value {
        Any::Null => to.null_value(),
        Any::Bool(value) => to.bool_value(*value),
        Any::Text(text) => to.string_value(text),
        Any::Integer(value) => object(to, "int", &value.to_string()),
        Any::Unsigned(value) => object(to, "int", &value.to_string()),
        Any::Float(value) => {
            let bits = if value.is_nan() { NAN } else { value.to_bits() };
            object(to, "float", &format!("{bits:016x}"))
        }
        Any::Bytes(bytes) => object(to, "bytes", &hex(bytes)),
        Any::Datetime(text) => object(to, "datetime", text),
        Any::Ext(kind, data) => {
            begin(to, "ext")?;
            to.begin_array()?;
            to.number_value(*kind)?;
            to.string_value(&hex(data))?;
            to.end_array()?;
            to.end_object()
        }
        Any::Other(kind, text) => {
            begin(to, "other")?;
            to.begin_array()?;
            to.string_value(kind)?;
            to.string_value(text)?;
            to.end_array()?;
            to.end_object()
        }
        Any::List(items) => {
            rest.push(Part::EndArray);
            rest.extend(items.iter().rev().map(Part::Value));
            to.begin_array()
        }
        Any::Map(pairs) => {
            if let ([(Any::Text(key), Any::Text(text))], true) =
                (&pairs[..], forms.contains(&"datetime"))
                && key == DATETIME_TEXT
            {
                return object(to, "datetime", text);
            }
            rest.extend([Part::EndObject, Part::EndArray]);
            for (key, value) in pairs.iter().rev() {
                rest.extend([
                    Part::EndArray,
                    Part::Value(value),
                    Part::Value(key),
                    Part::BeginArray,
                ]);
            }
            begin(to, "map")?;
            to.begin_array()
        }
        Any::Tag(number, inner) => {
            rest.extend([Part::EndObject, Part::EndArray, Part::Value(inner)]);
            begin(to, "tag")?;
            to.begin_array()?;
            to.number_value(*number)
        }
    }
}

fn begin(to: &mut impl JsonWriter, key: &str) -> std::io::Result<()> {
    to.begin_object()?;
    to.name(key)
}

fn object(to: &mut impl JsonWriter, key: &str, text: &str) -> std::io::Result<()> {
    begin(to, key)?;
    to.string_value(text)?;
    to.end_object()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // A String takes whatever is written to it.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn unhex(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [_, _] => u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok(),
        _ => None,
    };
    let bytes: Option<Vec<u8>> = digits.map(byte).collect();
    bytes.ok_or_else(|| format!("{text:?} is not an even number of hexadecimal digits"))
}

/// What has begun and not ended.
enum Open {
    List(Vec<Any>),
    /// The pairs of a map, and the key whose value is missing.
    Map(Vec<(Any, Any)>, Option<Any>),
    Tag(u64),
}

/// Reads the value of a line. Values other than those that every codec has a form for need one of `forms`.
pub fn read(line: &[u8], forms: &[&str]) -> Result<Any, String> {
    let settings = ReaderSettings {
        max_nesting_depth: None,
        ..ReaderSettings::default()
    };
    let mut reader = JsonStreamReader::new_custom(line, settings);
    let mut open = Vec::new();
    let read = read_value(&mut reader, &mut open, forms);
    // What an error leaves behind may be nested too deeply to be dropped.
    let left = open.into_iter().flat_map(|open| match open {
        Open::List(items) => items,
        Open::Map(pairs, key) => vec![Any::Map(pairs), key.unwrap_or(Any::Null)],
        Open::Tag(_) => vec![],
    });
    Any::List(left.collect()).free();
    let value = read?;
    match reader.consume_trailing_whitespace() {
        Ok(()) => Ok(value),
        Err(error) => {
            value.free();
            Err(text_of(&error))
        }
    }
}

fn text_of(error: &ReaderError) -> String {
    format!("the input is not the notation of a value: {error}")
}

fn read_value(
    from: &mut impl JsonReader,
    open: &mut Vec<Open>,
    forms: &[&str],
) -> Result<Any, String> {
    let mut whole = begin_value(from, open, forms)?;
    loop {
        // What is whole goes into what is around it, which may be whole then.
        whole = match (whole, open.last_mut()) {
            (Some(value), None) => return Ok(value),
            (Some(value), Some(around)) => put(value, around, from)?.inspect(|_| {
                open.pop();
            }),
            (None, Some(around)) => match next(around, from).map_err(|e| text_of(&e))? {
                Next::Begin => begin_value(from, open, forms)?,
                Next::Ended(value) => {
                    open.pop();
                    Some(value)
                }
            },
            (None, None) => return Err("the input has no value".to_owned()),
        }
    }
}

/// Puts a value into what is around it. Some if that is whole now.
fn put(value: Any, around: &mut Open, from: &mut impl JsonReader) -> Result<Option<Any>, String> {
    match around {
        Open::List(items) => items.push(value),
        Open::Map(pairs, key) => match key.take() {
            None => *key = Some(value),
            Some(key) => {
                pairs.push((key, value));
                from.end_array().map_err(|e| text_of(&e))?;
            }
        },
        Open::Tag(number) => {
            let tag = Any::Tag(*number, Box::new(value));
            from.end_array()
                .and_then(|()| from.end_object())
                .map_err(|e| text_of(&e))?;
            return Ok(Some(tag));
        }
    }
    Ok(None)
}

enum Next {
    Begin,
    Ended(Any),
}

/// Whether another value begins in what is open, or it ends.
fn next(around: &mut Open, from: &mut impl JsonReader) -> Result<Next, ReaderError> {
    match around {
        Open::List(items) => {
            if !from.has_next()? {
                from.end_array()?;
                return Ok(Next::Ended(Any::List(std::mem::take(items))));
            }
        }
        Open::Map(pairs, None) => {
            if !from.has_next()? {
                from.end_array()?;
                from.end_object()?;
                return Ok(Next::Ended(Any::Map(std::mem::take(pairs))));
            }
            from.begin_array()?;
        }
        Open::Map(_, Some(_)) | Open::Tag(_) => {}
    }
    Ok(Next::Begin)
}

/// Reads a value without parts, or begins one that has some. None if it began one.
fn begin_value(
    from: &mut impl JsonReader,
    open: &mut Vec<Open>,
    forms: &[&str],
) -> Result<Option<Any>, String> {
    let error = |e: ReaderError| text_of(&e);
    Ok(Some(match from.peek().map_err(error)? {
        ValueType::Null => from.next_null().map(|()| Any::Null).map_err(error)?,
        ValueType::Boolean => from.next_bool().map(Any::Bool).map_err(error)?,
        ValueType::String => from.next_string().map(Any::Text).map_err(error)?,
        ValueType::Number => {
            return Err("a number stands without its type: it is {\"int\":\"…\"}".to_owned());
        }
        ValueType::Array => {
            from.begin_array().map_err(error)?;
            open.push(Open::List(Vec::new()));
            return Ok(None);
        }
        ValueType::Object => {
            from.begin_object().map_err(error)?;
            let key = from.next_name_owned().map_err(error)?;
            // What becomes of bytes is the library's: some write them as a list of numbers.
            let every = ["int", "float", "map", "bytes"];
            if !every.contains(&key.as_str()) && !forms.contains(&key.as_str()) {
                return Err(format!("this codec has no form for {key}"));
            }
            match key.as_str() {
                "map" => {
                    from.begin_array().map_err(error)?;
                    open.push(Open::Map(Vec::new(), None));
                    return Ok(None);
                }
                "tag" => {
                    from.begin_array().map_err(error)?;
                    open.push(Open::Tag(number(from)?));
                    return Ok(None);
                }
                "ext" => {
                    from.begin_array().map_err(error)?;
                    let kind = number(from)?;
                    let data = unhex(&from.next_string().map_err(error)?)?;
                    from.end_array()
                        .and_then(|()| from.end_object())
                        .map_err(error)?;
                    Any::Ext(kind, data)
                }
                _ => {
                    let text = from.next_string().map_err(error)?;
                    from.end_object().map_err(error)?;
                    scalar(&key, text)?
                }
            }
        }
    }))
}

/// A number of JSON itself.
fn number<N: std::str::FromStr<Err = ParseIntError>>(
    from: &mut impl JsonReader,
) -> Result<N, String> {
    let number = from.next_number::<N>().map_err(|e| text_of(&e))?;
    number.map_err(|e| format!("a type or tag of the notation: {e}"))
}

fn scalar(key: &str, text: String) -> Result<Any, String> {
    match key {
        "int" => text
            .parse()
            .map(Any::Integer)
            .or_else(|_| text.parse().map(Any::Unsigned))
            .map_err(|_| {
                format!(
                    "the kit has no form for the integer {text:.60}: it goes from -2^127 to 2^128-1"
                )
            }),
        "float" => match u64::from_str_radix(&text, 16) {
            Ok(bits) if text.len() == 16 => Ok(Any::Float(f64::from_bits(bits))),
            _ => Err(format!(
                "{text:?} is not the 16 hexadecimal digits of a double"
            )),
        },
        "bytes" => unhex(&text).map(Any::Bytes),
        "datetime" => Ok(Any::Datetime(text)),
        _ => Err(format!("{key} is no key of the notation")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 3] = ["datetime", "ext", "tag"];

    fn again(line: &str) -> String {
        String::from_utf8(write(&read(line.as_bytes(), &ALL).unwrap(), &ALL).unwrap()).unwrap()
    }

    #[test]
    fn a_line_comes_back() {
        for line in [
            r#"[null,true,false,"é\n\"",[]]"#,
            r#"{"map":[[{"int":"1"},{"map":[]}],["a",[]],["a",{"float":"8000000000000000"}]]}"#,
            r#"{"tag":[18446744073709551615,{"tag":[0,{"bytes":"00ff"}]}]}"#,
            r#"[{"ext":[-128,""]},{"datetime":"1979-05-27"}]"#,
            r#"[{"int":"-170141183460469231731687303715884105728"},{"int":"340282366920938463463374607431768211455"}]"#,
        ] {
            assert_eq!(again(line), format!("{line}\n"));
        }
    }

    #[test]
    fn every_nan_is_one() {
        assert_eq!(
            again(r#"{"float":"fff0000000000001"}"#),
            "{\"float\":\"7ff8000000000000\"}\n"
        );
    }

    #[test]
    fn what_is_no_notation_is_refused() {
        for line in [
            "",
            "1",
            "[1]",
            "nul",
            "[",
            "[null",
            "null null",
            "{}",
            r#"{"int":1}"#,
            r#"{"int":"x"}"#,
            r#"{"float":"00"}"#,
            r#"{"bytes":"0"}"#,
            r#"{"bytes":"é"}"#,
            r#"{"map":[["a"]]}"#,
            r#"{"map":[["a",null,null]]}"#,
            r#"{"tag":["1",null]}"#,
            r#"{"ext":[128,""]}"#,
            r#"{"int":"1","int":"1"}"#,
            r#"{"other":["a","b"]}"#,
        ] {
            assert!(read(line.as_bytes(), &ALL).is_err(), "{line}");
        }
    }

    #[test]
    fn a_form_that_the_codec_lacks_is_named() {
        let refusal = read(br#"[{"ext":[1,""]}]"#, &["tag"]);
        assert_eq!(refusal, Err("this codec has no form for ext".to_owned()));
        assert!(read(br#"[{"bytes":""}]"#, &[]).is_ok());
    }

    #[test]
    fn a_datetime_is_told_as_a_map_by_libraries_that_have_one_alone() {
        let map = Any::Map(vec![(
            Any::Text(DATETIME_TEXT.into()),
            Any::Text("07:32:00".into()),
        )]);
        assert_eq!(write(&map, &ALL).unwrap(), b"{\"datetime\":\"07:32:00\"}\n");
        assert!(write(&map, &[]).unwrap().starts_with(b"{\"map\""));
    }

    #[test]
    fn depth_ends_nothing() {
        const DEPTH: usize = 20_000;
        let mut value = Any::Null;
        for _ in 0..DEPTH {
            value = Any::Tag(
                1,
                Box::new(Any::Map(vec![(Any::List(vec![]), Any::List(vec![value]))])),
            );
        }
        let line = write(&value, &ALL).unwrap();
        let back = read(&line, &ALL).unwrap();
        assert_eq!(write(&back, &ALL).unwrap(), line);
        back.free();
        value.free();
        assert!(read(&line[..line.len() / 2 + 1], &ALL).is_err());
    }
}
