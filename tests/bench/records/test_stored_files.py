"""Compressed files of lines: what zstd's own program reads and writes, and what damaged or hostile frames do."""

import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import zstandard

from bench.base.errors import LabError
from bench.base.files import is_there
from bench.measuring.run_folder import RunFolder
from bench.records import stored_files
from bench.records.run_file import SAMPLES, read_run
from bench.records.stored_files import compressed, open_stored, sha256_of_stored, stored_path
from tests.support.synthetic_run import usual

LINES = b"".join(b'{"a":%d}\n' % (number * 7919 % 10007) for number in range(200_000))


def packed(path: Path, text: bytes = LINES) -> Path:
    path.with_suffix("").write_bytes(text)
    with path.with_suffix("").open("rb") as source, path.open("wb") as target:
        compressed(source, target.write)
    path.with_suffix("").unlink()
    return path


def read(path: Path) -> bytes:
    with open_stored(path) as file:
        return file.read()


def test_a_frame_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = packed(tmp_path / "samples.jsonl.zst")
    assert read(path) == LINES
    assert zstandard.ZstdDecompressor().decompress(path.read_bytes(), len(LINES)) == LINES


def test_the_same_lines_give_the_same_bytes_and_the_hash_of_plain_lines(tmp_path: Path) -> None:
    one, other = packed(tmp_path / "one.zst"), packed(tmp_path / "other.zst")
    assert one.read_bytes() == other.read_bytes()
    plain = tmp_path / "plain"
    plain.write_bytes(LINES)
    assert sha256_of_stored(one) == sha256_of_stored(plain)


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd's own program is not installed")
def test_what_the_program_zstd_compressed_is_read(tmp_path: Path) -> None:
    (tmp_path / "lines").write_bytes(LINES)
    subprocess.run(["zstd", "-q", "-19", str(tmp_path / "lines")], check=True)
    assert read(tmp_path / "lines.zst") == LINES


def test_a_torn_frame_is_an_error_and_no_shorter_file(tmp_path: Path) -> None:
    path = packed(tmp_path / "samples.jsonl.zst")
    for share in (0.0, 0.01, 0.5, 0.999):
        content = path.read_bytes()
        torn = tmp_path / "torn.jsonl.zst"
        torn.write_bytes(content[: int(len(content) * share)])
        with pytest.raises(LabError, match=r"torn.jsonl.zst: cannot be decompressed after line \d+: it ends within"):
            read(torn)


def test_a_flipped_bit_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = packed(tmp_path / "samples.jsonl.zst")
    content = bytearray(path.read_bytes())
    for place in (0, 5, len(content) // 2, len(content) - 1):
        flipped = bytearray(content)
        flipped[place] ^= 4
        path.write_bytes(flipped)
        with pytest.raises(LabError, match="samples.jsonl.zst: "):
            read(path)


def test_what_follows_a_frame_is_refused_and_not_left_out(tmp_path: Path) -> None:
    path = packed(tmp_path / "samples.jsonl.zst")
    for more in (b"x", path.read_bytes(), b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd", bytes(5000)):
        longer = tmp_path / "longer.zst"
        longer.write_bytes(path.read_bytes() + more)
        with pytest.raises(LabError, match="something follows its frame"):
            read(longer)


def test_a_large_window_is_refused(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, compression_level=1)
    compressor = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    path = tmp_path / "samples.jsonl.zst"
    path.write_bytes(compressor.compress(bytes(2**20)) + compressor.flush())
    with pytest.raises(LabError, match="memory"):
        read(path)


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is read by getrusage")
@pytest.mark.parametrize("line", [b"\0" * 2**20, b'{"a":1}\n' * 2**17], ids=["zeros", "lines"])
def test_a_bomb_ends_by_its_expansion_within_bounded_memory(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "samples.jsonl.zst"
    compressor = zstandard.ZstdCompressor(level=3).compressobj()
    with path.open("wb") as file:
        for _ in range(2048):
            file.write(compressor.compress(line))
        file.write(compressor.flush())
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from bench.base.errors import LabError\n"
        "from bench.records.stored_files import open_stored\n"
        "def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == 'darwin' else 1)\n"
        "before = peak()\n"
        "try:\n"
        "    with open_stored(Path(sys.argv[1])) as file:\n"
        "        while file.read(1 << 20): pass\n"
        "except LabError as error: print(error)\n"
        "print(peak() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True, cwd=Path.cwd()
    )
    message, kib = done.stdout.strip().splitlines()
    assert "holds more than" in message
    assert int(kib) < 128 * 1024


def test_both_forms_of_one_file_are_refused(tmp_path: Path) -> None:
    packed(tmp_path / "samples.jsonl.zst")
    (tmp_path / SAMPLES).write_bytes(LINES)
    with pytest.raises(LabError, match=r"samples.jsonl.zst: samples.jsonl lies beside it"):
        stored_path(tmp_path, SAMPLES)


def squeezed(run: Path) -> Path:
    """A run with its lines compressed."""
    for name in ("samples.jsonl", "processes.jsonl"):
        with (run / name).open("rb") as source, (run / f"{name}.zst").open("wb") as target:
            compressed(source, target.write)
        (run / name).unlink()
    return run


def test_a_compressed_run_is_the_same_run(tmp_path: Path) -> None:
    plain, packed_run = read_run(usual().write(tmp_path / "one")), read_run(squeezed(usual().write(tmp_path / "two")))
    assert msgspec.structs.replace(packed_run, path=plain.path) == plain


def test_resuming_a_compressed_run_says_that_it_is_finished(tmp_path: Path) -> None:
    run = squeezed(usual().write(tmp_path / "run"))
    with pytest.raises(LabError, match="a submitted run is finished"):
        RunFolder.resume(run)
    assert not is_there(run / ".lock")
    assert not is_there(run / "samples.jsonl")


def test_the_limits_leave_room_for_recorded_runs() -> None:
    """67 MB of samples of the profile `published` became 2.7 MB at level 19, a 25th; a plan of 7 MB 0.1, a 70th."""
    assert stored_files.EXPANSION >= 3 * 25
    assert stored_files.SMALL_BYTES > 2 * 7_100_000, "no plan has twice the cells of all there are"
