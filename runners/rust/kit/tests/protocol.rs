//! The runner protocol, from outside.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde::Deserialize;
use wirelab_kit::canonical;

const NOTE: &str = "{\"number\":0.1,\"text\":\"x\"}\n";
/// The encoded note: 0.1 as an f32, and the text.
const ENCODED: &[u8] = b"\xCD\xCC\xCC\x3Dx";

/// The note with twice the number.
const UPDATED: &[u8] = b"\xCD\xCC\x4C\x3Ex";

#[derive(Deserialize)]
struct Sample {
    wall_ns: u64,
    cpu_ns: u64,
    canary_before_ns: u64,
    canary_after_ns: u64,
    copy_before_ns: Option<u64>,
    copy_after_ns: Option<u64>,
    involuntary_switches: Option<u64>,
    repetitions: u64,
    encoded_bytes: u64,
    checksum: String,
    allocations: u64,
    allocated_bytes: u64,
}

/// What `canary` prints.
#[derive(Deserialize)]
struct Canaries {
    canary: String,
    canary_ns: Vec<u64>,
    copy_ns: Option<Vec<u64>>,
}

/// Runs the toy runner with arguments that are separated by spaces.
fn toy(arguments: &str, stdin: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_toy"))
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A runner that refuses its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child.wait_with_output().unwrap()
}

/// A folder of the test's own.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    if folder.exists() {
        fs::remove_dir_all(&folder).unwrap();
    }
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs `measure` in a folder of its own, on an input, with `--warmup 0` and more options.
fn measure(test: &str, input: &str, options: &str) -> (Output, Vec<Sample>) {
    let folder = folder(test);
    let input_file = folder.join("input");
    fs::write(&input_file, input).unwrap();
    let out = folder.join("out");
    let options = format!(
        "measure --warmup 0 --input {} --work {} --out {} {options}",
        input_file.display(),
        folder.display(),
        out.display()
    );
    let output = toy(&options, b"");
    let samples = fs::read_to_string(&out).unwrap_or_default();
    let samples = samples
        .lines()
        .map(|line| canonical::read(line.as_bytes()).unwrap());
    (output, samples.collect())
}

fn samples(test: &str, input: &str, options: &str) -> Vec<Sample> {
    let (output, samples) = measure(test, input, options);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    samples
}

/// Asserts that the run failed with the exit code and one line that has the text, and printed nothing.
fn assert_fails(output: &Output, exit_code: i32, text: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(exit_code), "{stderr}");
    assert!(stderr.contains(text), "{stderr}");
    assert!(output.stdout.is_empty());
    assert!(
        stderr.starts_with("rust/toy: ") && stderr.ends_with('\n'),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn describe_names_the_locked_version_and_all_cells() {
    let output = toy("describe", b"");
    let description = String::from_utf8(output.stdout).unwrap();
    assert!(description.starts_with(
        r#"{"protocol":1,"codec":"rust/toy","format":"notes","library":"struson","version":"0.7."#
    ));
    assert!(description.contains(r#""control":false,"role":null,"#));
    assert_eq!(description.matches(r#""operation":"#).count(), 28);
    assert!(description.contains(r#"{"scenario":"note","operation":"round-trip","conditions":{"api":"manual","buffer":"reused","build":"baseline","drop":"inside","output":"owned","validation":"on"}}"#));
}

#[test]
fn describe_names_the_canary_and_the_codec_of_the_same_calls() {
    let description = String::from_utf8(toy("describe", b"").stdout).unwrap();
    let kernel = canaries("--seconds 0").canary;
    assert!(description.contains(&format!(
        r#""canary":"{kernel}","identical":{{"deserialize":"rust/other"}},"#
    )));
}

#[test]
fn what_a_codec_cannot_take_is_described_and_not_offered() {
    let description = String::from_utf8(toy("describe", b"").stdout).unwrap();
    assert!(description.contains(
        r#""cannot":{"u128":"notes are short"},"instead":{"map":"a note for each entry"},"#
    ));
    assert!(!description.contains(r#""scenario":"wide""#));
    assert_fails(&toy("encode --scenario wide", b""), 64, "no scenario wide");
}

#[test]
fn build_reads_nothing_and_what_reads_validates() {
    let description = String::from_utf8(toy("describe", b"").stdout).unwrap();
    for cell in [
        r#""operation":"build","conditions":{"api":"manual","build":"baseline","drop":"inside"}"#,
        r#""operation":"build+serialize","conditions":{"api":"manual","buffer":"reused","build":"baseline","drop":"inside"}"#,
        r#""scenario":"note","operation":"deserialize+convert","conditions":{"api":"manual","build":"baseline","drop":"inside","validation":"on"}"#,
        r#""scenario":"notes","operation":"access","conditions":{"api":"manual","build":"baseline","validation":"on"}"#,
        r#""scenario":"note","operation":"access","conditions":{"api":"manual","build":"baseline","fields":"root","validation":"on"}"#,
    ] {
        assert!(description.contains(cell), "{cell}");
    }
    // A scenario that names no fields has no part to access.
    assert_eq!(description.matches(r#""fields":"#).count(), 2);
}

#[test]
fn a_build_makes_the_value_and_its_serialization_the_bytes() {
    let checksums = |operation: &str| {
        let options =
            format!("--scenario note --operation {operation} --repetitions 1 --samples 1");
        samples(&operation.replace(['+', ' ', '='], "-"), NOTE, &options)[0]
            .checksum
            .clone()
    };
    assert_eq!(checksums("build"), checksum(NOTE.as_bytes()));
    assert_eq!(checksums("build+serialize"), checksum(ENCODED));
    // The bits of the number, the length of the text and its first byte.
    let text = 1 + u64::from(b'x');
    let digest = u64::from(0.1_f32.to_bits()) + text;
    let of = |digest: u64| checksum(format!("{digest}\n").as_bytes());
    assert_eq!(checksums("access"), of(digest));
    assert_eq!(checksums("access --condition fields=named"), of(text));
    assert_eq!(checksums("access --condition fields=root"), of(digest));
}

#[test]
fn a_conversion_makes_the_plain_value_of_each_message_inside_the_loop() {
    let options = |scenario: &str| {
        format!("--scenario {scenario} --operation deserialize+convert --repetitions 3 --samples 1")
    };
    // A text of one byte by decoding, and the ten bytes that the toy's conversion takes.
    let one = &samples("convert-one", NOTE, &options("note"))[0];
    assert_eq!(one.checksum, checksum(NOTE.as_bytes()));
    assert_eq!((one.encoded_bytes, one.repetitions), (5, 3));
    assert_eq!((one.allocations, one.allocated_bytes), (2, 11));
    let rows = NOTE.repeat(2);
    let many = &samples("convert-many", &rows, &options("notes"))[0];
    assert_eq!(many.checksum, checksum(rows.as_bytes()));
    assert_eq!(many.encoded_bytes, 10);
    assert_eq!((many.allocations, many.allocated_bytes), (4, 22));
}

#[test]
fn a_message_that_is_no_plain_value_or_none_at_all_ends_a_conversion() {
    let options = "--scenario note --operation deserialize+convert --repetitions 1 --samples 1";
    for (text, problem) in [
        ("built alone", "no plain note"),
        ("refused", "not a note at all"),
    ] {
        let note = NOTE.replace("\"x\"", &format!("\"{text}\""));
        let test = format!("convert-{}", text.replace(' ', "-"));
        let (output, samples) = measure(&test, &note, options);
        assert_fails(&output, 65, problem);
        assert!(samples.is_empty());
    }
}

#[test]
fn an_update_changes_messages_in_place_and_validates() {
    let updated = toy("update --scenario note", ENCODED);
    assert_eq!(updated.stdout, UPDATED);
    let frames = [ENCODED, ENCODED].map(framed).concat();
    let updated = toy("update --scenario notes", &frames).stdout;
    assert_eq!(updated, [UPDATED, UPDATED].map(framed).concat());
    assert_fails(
        &toy("update --scenario note", b"four exit"),
        65,
        "update note",
    );
    assert_fails(&toy("update --scenario wide", b""), 64, "no scenario wide");

    let description = String::from_utf8(toy("describe", b"").stdout).unwrap();
    let cell = r#""scenario":"note","operation":"update","conditions":{"api":"manual","build":"baseline","validation":"on"}"#;
    assert!(description.contains(cell));
}

#[test]
fn a_batch_is_answered_one_by_one_and_a_cut_frame_ends_it() {
    let cut = b"\xff\xff\xff\xffx";
    let inputs = [&[5, 0, 0, 0][..], ENCODED, &[1, 0, 0, 0, 0], cut].concat();
    let output = toy("decode --batch --scenario note", &inputs);
    let length = u32::try_from(NOTE.len()).unwrap().to_le_bytes();
    let decoded = [&[0][..], &length, NOTE.as_bytes()].concat();
    let refused = output.stdout.strip_prefix(&decoded[..]).unwrap();
    assert_eq!(refused[0], 65);
    assert_eq!(
        usize::from(refused[1]),
        refused.len() - 5,
        "one answer, and none to the cut frame"
    );
    assert!(refused[5..].starts_with(b"decode note: "));
    assert_eq!(output.status.code(), Some(65));
    assert!(String::from_utf8_lossy(&output.stderr).contains("claims more bytes than follow it"));
}

#[test]
fn an_update_is_checked_on_fresh_messages_however_many_repetitions_there_were() {
    for repetitions in [0, 1, 5] {
        let one =
            format!("--scenario note --operation update --repetitions {repetitions} --samples 2");
        for sample in samples(&format!("update-{repetitions}"), NOTE, &one) {
            assert_eq!(sample.checksum, checksum(UPDATED));
            assert_eq!((sample.encoded_bytes, sample.allocations), (5, 0));
        }
        let many = one.replace("note", "notes");
        for sample in samples(&format!("updates-{repetitions}"), &NOTE.repeat(2), &many) {
            let both = [UPDATED, UPDATED].map(framed).concat();
            assert_eq!(sample.checksum, checksum(&both));
            assert_eq!(sample.encoded_bytes, 10);
        }
    }
}

#[test]
fn one_message_is_encoded_and_decoded() {
    assert_eq!(
        toy("encode --scenario note", NOTE.as_bytes()).stdout,
        ENCODED
    );
    assert_eq!(
        toy("decode --scenario note", ENCODED).stdout,
        NOTE.as_bytes()
    );
}

#[test]
fn rows_are_lines_on_one_side_and_frames_on_the_other() {
    let frames = [&b"\x05\0\0\0"[..], ENCODED, b"\x05\0\0\0", ENCODED].concat();
    let lines = [NOTE, NOTE].concat();
    assert_eq!(
        toy("encode --scenario notes", lines.as_bytes()).stdout,
        frames
    );
    assert_eq!(
        toy("decode --scenario notes", &frames).stdout,
        lines.as_bytes()
    );
}

#[test]
fn mistakes_in_the_arguments_exit_with_64() {
    for arguments in [
        "",
        "encode",
        "decode --scenario",
        "measure --scenario note",
        "describe x",
    ] {
        assert_eq!(toy(arguments, b"").status.code(), Some(64), "{arguments}");
    }
    assert_eq!(toy("--help", b"").status.code(), Some(0));
    assert_fails(
        &toy("encode --scenario x", b""),
        64,
        "no scenario x; use one of note, notes",
    );
}

#[test]
fn malformed_data_exits_with_65_and_one_line() {
    let malformed = |input: &[u8]| toy("decode --scenario note", input);
    assert_fails(
        &malformed(b"abc"),
        65,
        "rust/toy: decode note: not a note at all",
    );
    assert_fails(&malformed(b"\0\0\0\0exit"), 65, "not a note");
    assert_fails(&malformed(b"\0\0\x80\x7Fx"), 65, "non-finite");
    let cut = toy("decode --scenario notes", &ENCODED[..3]);
    assert_fails(&cut, 65, "rust/toy: decode notes: frame 1");
    assert_fails(
        &toy("encode --scenario note", b"{}"),
        65,
        "rust/toy: encode note: ",
    );
    assert_fails(&toy("encode --scenario notes", b""), 65, "no rows");
}

#[test]
fn a_panic_is_no_refusal_alone_and_in_a_batch() {
    let input = b"\0\0\0\0panic";
    let alone = toy("decode --scenario note", input);
    assert_fails(&alone, 70, "rust/toy: decode note: panicked at ");
    assert_fails(&alone, 70, "in the library");
    let inputs = [framed(input), framed(ENCODED)].concat();
    let output = toy("decode --batch --scenario note", &inputs);
    assert_eq!(output.status.code(), Some(0), "the batch goes on");
    assert_eq!(output.stdout[0], 70);
    let length = usize::from(output.stdout[1]);
    let line = &output.stdout[5..5 + length];
    assert!(line.starts_with(b"decode note: panicked at "));
    assert_eq!(output.stdout[5 + length], 0, "what follows is decoded");
}

#[test]
fn decoding_keeps_to_its_memory_budget() {
    let input = b"\0\0\0\0greedy";
    let batch = toy("decode --batch --scenario note", &framed(input));
    assert_fails(
        &batch,
        71,
        "more memory is needed than 64 MiB and 64 times the input",
    );
    let output = toy("decode --scenario note", input);
    assert_fails(
        &output,
        71,
        "more than 67109504 bytes of memory are needed for 10 bytes",
    );
}

#[test]
fn files_that_are_not_there_have_exit_codes_of_their_own() {
    let folder = folder("no-files");
    let folder = folder.display();
    let options = "--scenario note --operation serialize --condition buffer=reused \
                   --repetitions 1 --warmup 0 --samples 1";
    let measure = |files: String| toy(&format!("measure {options} {files}"), b"");
    let input = format!("{folder}/input");
    let output = measure(format!(
        "--input {input} --work {folder} --out {folder}/out"
    ));
    assert_fails(&output, 66, "input");
    fs::write(&input, NOTE).unwrap();
    let output = measure(format!(
        "--input {input} --work {folder} --out {folder}/none/out"
    ));
    assert_fails(&output, 74, "none");
    let output = measure(format!(
        "--input {input} --work {folder}/none --out {folder}/out"
    ));
    assert_fails(&output, 64, "--work");
}

#[test]
fn conditions_must_leave_one_cell() {
    let options = "--scenario note --repetitions 1 --samples 1";
    let (output, _) = measure(
        "ambiguous",
        NOTE,
        &format!("{options} --operation serialize"),
    );
    assert_eq!(output.status.code(), Some(64));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(
        stderr.contains("2 cells") && stderr.contains("--condition buffer=fresh"),
        "{stderr}"
    );

    let unknown = format!("{options} --operation serialize --condition buffer=none");
    assert_eq!(measure("unknown", NOTE, &unknown).0.status.code(), Some(64));
    let operation = format!("{options} --operation filter");
    assert_eq!(
        measure("operation", NOTE, &operation).0.status.code(),
        Some(64)
    );
}

#[test]
fn a_sample_is_appended_for_each_loop() {
    let options = "--scenario note --operation serialize --condition buffer=reused \
                   --repetitions 1000 --samples 3";
    let samples = samples("serialize", NOTE, options);
    assert_eq!(samples.len(), 3);
    for sample in samples {
        assert!(sample.wall_ns > 0 && sample.cpu_ns > 0);
        assert_eq!(sample.repetitions, 1000);
        assert_eq!(sample.encoded_bytes, 5);
        assert_eq!(sample.checksum, checksum(ENCODED));
        assert_eq!((sample.allocations, sample.allocated_bytes), (1, 100));
    }
}

const SERIALIZE: &str = "--scenario note --operation serialize --condition buffer=reused";

#[test]
fn a_canary_stands_between_two_loops_with_and_without_repetitions() {
    for repetitions in [0, 1000] {
        let options = format!("{SERIALIZE} --repetitions {repetitions} --samples 4");
        let samples = samples(&format!("chain-{repetitions}"), NOTE, &options);
        assert_eq!(samples.len(), 4);
        for pair in samples.windows(2) {
            assert_eq!(pair[0].canary_after_ns, pair[1].canary_before_ns);
        }
        for sample in samples {
            assert!(sample.canary_before_ns > 0 && sample.canary_after_ns > 0);
            assert_eq!((sample.copy_before_ns, sample.copy_after_ns), (None, None));
            assert_eq!(sample.involuntary_switches.is_some(), cfg!(unix));
        }
    }
}

#[test]
fn a_copy_stands_beside_the_canary_where_asked() {
    let options = format!("{SERIALIZE} --repetitions 1 --samples 2 --copy-canary 100000");
    let samples = samples("copy", NOTE, &options);
    assert_eq!(samples.len(), 2);
    assert!(samples[0].copy_before_ns.is_some());
    assert!(samples[0].copy_after_ns.is_some());
    assert_eq!(samples[0].copy_after_ns, samples[1].copy_before_ns);
}

/// Only glibc promises where a block lies.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn an_offset_moves_all_data_by_as_many_bytes() {
    let note = "{\"number\":0.1,\"text\":\"where\"}\n";
    let addresses = |offset: usize| -> Vec<usize> {
        let options = format!("{SERIALIZE} --repetitions 1 --samples 1 --offset {offset}");
        let (output, samples) = measure("offset", note, &options);
        assert_eq!(samples.len(), 1);
        let stderr = String::from_utf8(output.stderr).unwrap();
        let last = stderr.lines().last().unwrap();
        last.split(' ').map(|word| word.parse().unwrap()).collect()
    };
    let page = 4096;
    let base = addresses(0);
    for offset in [16, 32, 48, 1024, 4080] {
        let moved = addresses(offset);
        assert_eq!((moved[0] - base[0] % page) % page, offset, "the text");
        assert_eq!((moved[1] - base[1] % page) % page, offset, "the buffer");
    }
}

#[test]
fn no_samples_are_no_chain_and_no_lines() {
    let options = format!("{SERIALIZE} --repetitions 1 --samples 0");
    assert!(samples("no-samples", NOTE, &options).is_empty());
}

#[test]
fn canaries_alone_are_printed_as_one_object() {
    let times = canaries("--seconds 0.05");
    assert!(times.canary.ends_with("/1"), "{}", times.canary);
    assert!(!times.canary_ns.is_empty());
    assert!(times.copy_ns.is_none());
    let times = canaries("--seconds 0.05 --copy 100000");
    assert_eq!(times.copy_ns.unwrap().len(), times.canary_ns.len());
}

#[test]
fn canaries_are_timed_for_a_number_of_seconds() {
    for seconds in ["-1", "x", "inf", "1e30"] {
        let output = toy(&format!("canary --seconds={seconds}"), b"");
        assert_eq!(output.status.code(), Some(64), "{seconds}");
    }
}

fn canaries(options: &str) -> Canaries {
    let output = toy(&format!("canary {options}"), b"");
    assert!(output.status.success());
    canonical::read(&output.stdout).unwrap()
}

#[test]
fn no_repetitions_give_the_same_product() {
    for (index, (cell, product)) in [
        ("serialize --condition buffer=fresh", ENCODED),
        ("deserialize --condition drop=inside", NOTE.as_bytes()),
        ("deserialize --condition drop=outside", NOTE.as_bytes()),
        ("round-trip", NOTE.as_bytes()),
    ]
    .into_iter()
    .enumerate()
    {
        for repetitions in [0, 1, 1000] {
            let options = format!(
                "--scenario note --operation {cell} --repetitions {repetitions} --samples 1"
            );
            let samples = samples(&format!("product-{index}-{repetitions}"), NOTE, &options);
            assert_eq!(samples[0].checksum, checksum(product), "{options}");
            assert_eq!(samples[0].encoded_bytes, 5);
        }
    }
}

#[test]
fn compressed_messages_are_compressed_one_by_one() {
    let text = "ab".repeat(50);
    let note = format!("{{\"number\":0.1,\"text\":\"{text}\"}}\n");
    let rows = note.repeat(2);
    let message = toy("encode --scenario note", note.as_bytes()).stdout;
    let messages = toy("encode --scenario notes", rows.as_bytes()).stdout;
    for name in ["lz4", "zstd-1", "zstd-3"] {
        let options = format!("--compression {name}");
        let one = toy(&format!("compress --scenario note {options}"), &message).stdout;
        assert!(one.len() < 50, "{} bytes", one.len());
        let both = toy(&format!("compress --scenario notes {options}"), &messages).stdout;
        let frame = [&(one.len() as u32).to_le_bytes()[..], &one].concat();
        assert_eq!(both, frame.repeat(2));
        let back = toy(&format!("decompress --scenario notes {options}"), &both);
        assert_eq!(back.stdout, messages);

        let cell = "--scenario notes --operation round-trip --repetitions 2 --samples 1";
        let options = format!("{cell} --condition compression={name}");
        let samples = samples(&format!("compressed-{name}"), &rows, &options);
        assert_eq!(samples[0].encoded_bytes, 2 * one.len() as u64);
        assert_eq!(samples[0].checksum, checksum(rows.as_bytes()));
    }
}

#[test]
fn malformed_compressed_data_exits_with_65_and_a_claimed_length_with_71() {
    let decompress = |name, input: &[u8]| {
        toy(
            &format!("decompress --scenario note --compression {name}"),
            input,
        )
    };
    assert_fails(
        &decompress("lz4", b"\x05\0\0"),
        65,
        "rust/toy: decompress note: an LZ4 message",
    );
    assert_fails(
        &decompress("lz4", b"\xFF\xFF\xFF\x7E\x50hello"),
        71,
        "bytes of memory are needed for 10 bytes",
    );
    // A frame that claims 2^40 bytes.
    let claim = b"\x28\xB5\x2F\xFD\xE0\0\0\0\0\0\x01\0\0\x29\0\0hello";
    assert_fails(
        &decompress("zstd-3", claim),
        71,
        "bytes of memory are needed",
    );
    assert_fails(
        &decompress("gzip", b""),
        64,
        "no cell of note has compression=gzip",
    );
}

#[test]
fn a_repetition_of_rows_is_a_pass_over_all() {
    // More rows than are kept in a batch, and not a multiple of it.
    let rows = NOTE.repeat(300);
    for (index, drop) in ["inside", "outside"].into_iter().enumerate() {
        let options = format!(
            "--scenario notes --operation deserialize --condition drop={drop} \
             --repetitions 2 --samples 1"
        );
        let samples = samples(&format!("rows-{index}"), &rows, &options);
        assert_eq!(samples[0].encoded_bytes, 1500);
        assert_eq!(samples[0].checksum, checksum(rows.as_bytes()));
        assert_eq!(
            (samples[0].allocations, samples[0].allocated_bytes),
            (300, 300)
        );
    }
}

/// The checksum of what `encode` or `decode` prints.
/// A message behind its length.
fn framed(message: &[u8]) -> Vec<u8> {
    [&(message.len() as u32).to_le_bytes(), message].concat()
}

fn checksum(printed: &[u8]) -> String {
    format!("crc32:{:08x}", crc32fast::hash(printed))
}
