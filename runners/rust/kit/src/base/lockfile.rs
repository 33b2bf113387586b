//! The exact versions of the measured libraries, from the lock file that pins them.

/// The workspace's lock file, as it was when the runner was built.
const CARGO_LOCK: &str = include_str!(concat!(env!("OUT_DIR"), "/Cargo.lock"));

/// The locked version of `library`: a package name, or `name@prefix` where the lock file has more than one version
/// (`bincode@2`).
pub fn version(library: &str) -> Option<&'static str> {
    find(CARGO_LOCK, library)
}

fn find<'l>(lock: &'l str, library: &str) -> Option<&'l str> {
    let (name, prefix) = library.split_once('@').unwrap_or((library, ""));
    let mut versions = lock
        .split("[[package]]")
        .filter(|package| field(package, "name") == Some(name))
        .filter_map(|package| field(package, "version"))
        .filter(|version| version.starts_with(prefix));
    let version = versions.next()?;
    versions.next().is_none().then_some(version)
}

/// A string field of a `[[package]]`.
fn field<'l>(package: &'l str, name: &str) -> Option<&'l str> {
    package
        .lines()
        .filter_map(|line| line.split_once(" = "))
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
[[package]]
name = "bincode"
version = "1.3.3"

[[package]]
name = "bincode"
version = "2.0.1"
dependencies = [
 "toml",
]

[[package]]
name = "toml"
version = "1.2.1+spec-1.1.0"
"#;

    #[test]
    fn a_version_is_read_by_name() {
        assert_eq!(find(LOCK, "toml"), Some("1.2.1+spec-1.1.0"));
        assert_eq!(find(LOCK, "bincode@2"), Some("2.0.1"));
    }

    #[test]
    fn what_is_not_exactly_one_version_is_none() {
        assert_eq!(find(LOCK, "bincode"), None);
        assert_eq!(find(LOCK, "bincode@3"), None);
        assert_eq!(find(LOCK, "spec"), None);
    }
}
