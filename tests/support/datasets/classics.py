"""The three documents of the crate facet-json-classics, which holds them compressed."""

import subprocess
from pathlib import Path

PROJECT = """
[package]
name = "classics"
version = "0.1.0"
edition = "2021"
[dependencies]
facet-json-classics = "=0.44.4"
"""
PROGRAM = """
fn main() {
    let folder = std::env::args().nth(1).unwrap();
    for (name, text) in [
        ("canada", &facet_json_classics::CANADA),
        ("citm_catalog", &facet_json_classics::CITM_CATALOG),
        ("twitter", &facet_json_classics::TWITTER),
    ] {
        std::fs::write(format!("{folder}/{name}.json"), text.as_bytes()).unwrap();
    }
}
"""


def write_documents(folder: Path) -> Path:
    """Writes canada.json, citm_catalog.json and twitter.json into a folder, by Cargo."""
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text(PROJECT)
    (folder / "src" / "main.rs").write_text(PROGRAM)
    subprocess.run(["cargo", "run", "-q", "--", folder], cwd=folder, check=True)
    return folder
