//! Tells the kit which compiler, which flags and which lock file build it, for `describe`.

use std::env;
use std::fs;
use std::process::Command;

/// The manifest whose release profile builds the runners, relative to this package.
const WORKSPACE_MANIFEST: &str = "../Cargo.toml";
const WORKSPACE_LOCK: &str = "../Cargo.lock";
/// Names the lock file where Cargo's own is that of a part of the workspace (Nix).
const LOCK_VARIABLE: &str = "WIRELAB_LOCK";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={WORKSPACE_MANIFEST}");
    println!("cargo::rerun-if-env-changed={LOCK_VARIABLE}");
    let lock = env::var(LOCK_VARIABLE).unwrap_or_else(|_| WORKSPACE_LOCK.to_owned());
    println!("cargo::rerun-if-changed={lock}");
    fs::copy(lock, format!("{}/Cargo.lock", variable("OUT_DIR")))
        .expect("the lock file can be copied");
    let manifest =
        fs::read_to_string(WORKSPACE_MANIFEST).expect("the workspace manifest is readable");

    let compiler = rustc(&["--version"]);
    let rustflags = rustflags();
    let flags = format!(
        "opt-level={} lto={} codegen-units={} target-cpu={} panic={} {}",
        variable("OPT_LEVEL"),
        lto(&profile_setting(&manifest, "lto")),
        profile_setting(&manifest, "codegen-units"),
        target_cpu(&rustflags),
        variable("CARGO_CFG_PANIC"),
        rustflags.join(" "),
    );
    println!("cargo::rustc-env=WIRELAB_COMPILER={}", compiler.trim());
    println!("cargo::rustc-env=WIRELAB_FLAGS={}", flags.trim_end());
    println!("cargo::rustc-env=WIRELAB_BUILD={}", build_name(&rustflags));
}

/// The condition `build` of every cell: the name that the lab gives to a build, or the processor that it is for.
fn build_name(rustflags: &[String]) -> String {
    println!("cargo::rerun-if-env-changed=WIRELAB_BUILD");
    env::var("WIRELAB_BUILD")
        .unwrap_or_else(|_| asked_cpu(rustflags).unwrap_or("baseline").to_owned())
}

/// A variable that Cargo promises to build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo sets {name} for build scripts"))
}

/// What the compiler of this build prints when called with `arguments`.
fn rustc(arguments: &[&str]) -> String {
    let output = Command::new(variable("RUSTC"))
        .args(arguments)
        .output()
        .expect("rustc runs");
    String::from_utf8(output.stdout).expect("rustc prints UTF-8")
}

/// A setting of the release profile, which Cargo does not pass to build scripts: from the environment variable that
/// overrides it, or from the workspace manifest. No other profile builds a runner that is measured.
fn profile_setting(manifest: &str, key: &str) -> String {
    let variable = format!(
        "CARGO_PROFILE_RELEASE_{}",
        key.to_uppercase().replace('-', "_")
    );
    println!("cargo::rerun-if-env-changed={variable}");
    env::var(variable).unwrap_or_else(|_| {
        manifest
            .lines()
            .skip_while(|line| *line != "[profile.release]")
            .filter_map(|line| line.split_once('='))
            .find(|(name, _)| name.trim() == key)
            .map(|(_, value)| value.trim().trim_matches('"').to_owned())
            .unwrap_or_else(|| panic!("[profile.release] in {WORKSPACE_MANIFEST} sets {key}"))
    })
}

/// Cargo's `lto` setting by its long name: `false` is the default and does not mean none.
fn lto(setting: &str) -> &str {
    match setting {
        "false" => "thin-local",
        "true" => "fat",
        other => other,
    }
}

/// The flags that Cargo was given, by the driver, else from .cargo/config.toml or RUSTFLAGS; without those that only
/// name the folders of this machine, so that two checkouts build the same bytes.
fn rustflags() -> Vec<String> {
    let encoded = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = encoded
        .split('\x1f')
        .filter(|flag| !flag.is_empty() && !flag.starts_with("--remap-path-prefix="));
    flags.map(str::to_owned).collect()
}

/// The processor that the flags ask for.
fn asked_cpu(rustflags: &[String]) -> Option<&str> {
    let asked = rustflags
        .iter()
        .filter_map(|flag| flag.split_once("target-cpu="));
    asked.map(|(_, cpu)| cpu).next_back()
}

/// The processor that the code is generated for: what the flags ask for, or the target's default.
fn target_cpu(rustflags: &[String]) -> String {
    if let Some(cpu) = asked_cpu(rustflags) {
        return cpu.to_owned();
    }
    rustc(&["--print", "target-cpus", "--target", &variable("TARGET")])
        .lines()
        .find(|line| line.contains("the default target CPU"))
        .and_then(|line| line.split_whitespace().next())
        .unwrap_or("default")
        .to_owned()
}
