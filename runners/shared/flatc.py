"""The compiler of FlatBuffers schemas, which the lab builds from pinned source."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.base.paths import tool
from bench.base.programs import captured

MISSING = "flatc is missing: `lab build` compiles it, which needs a C++ compiler once; `lab doctor` says which"


def generate(schema: Path, options: Sequence[str], output: Path) -> Path:
    """Has flatc make the code of a schema in a language (`--rust`, or `--cpp` and more), in one file, and returns that.

    Where flatc is missing or fails, the file is one that does not compile and says so: the codecs that need it are
    unavailable, and no other.
    """
    text = _generated(schema, options)
    if not output.exists() or output.read_text("utf-8") != text:
        output.write_text(text, "utf-8", newline="\n")
    return output


def _generated(schema: Path, options: Sequence[str]) -> str:
    program = tool("flatc")
    if not program.exists():
        return _failure(options[0], MISSING)
    with tempfile.TemporaryDirectory() as folder:
        done = captured([str(program), *options, "-o", folder, str(schema)], cwd=schema.parent)
        files = sorted(Path(folder).iterdir())
        if done.returncode != 0 or len(files) != 1:
            return _failure(options[0], f"flatc failed: {done.stderr.strip() or done.stdout.strip()}")
        return files[0].read_text("utf-8")


def _failure(language: str, reason: str) -> str:
    """Code that does not compile."""
    if language == "--rust":
        plain = "".join(
            character if " " <= character <= "~" and character not in '"\\' else " " for character in reason
        )
        return f'compile_error!("{plain}");\n'
    return f"#error {' '.join(reason.split())}\n"
