"""The hash of a source tree as Nix computes it (`nix hash path`): SHA-256 over its NAR archive.

One pin then serves a checkout, an unpacked archive and flake.nix. To print it:
`python -m bench.building.languages.cpp_nar FOLDER`.
Names, contents, links and the executable bit count; times and owners do not. Source: E. Dolstra, The Purely Functional
Software Deployment Model (2006), figure 5.2, and https://nix.dev/manual/nix/latest/store/file-system-object/content-address.
"""

import base64
import hashlib
import os
import sys
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, TypeAlias

ALPHABET = "0123456789abcdfghijklmnpqrsvwxyz"
"""Nix's base 32."""
STORE = Path("/nix/store")
DIGEST_BYTES, DIGEST_CHARS = 20, 32
"""Of a store path."""


@dataclass(frozen=True)
class File:
    """A file of a tree."""

    content: bytes
    executable: bool


@dataclass(frozen=True)
class Link:
    """A symbolic link of a tree."""

    target: str


Tree: TypeAlias = "File | Link | dict[str, Tree]"


def nar_hash(tree: Tree) -> str:
    """`sha256-…` with the digest in base 64, as flakes write it."""
    digest = hashlib.sha256()
    for word in ("nix-archive-1", *_words(tree)):
        content = word.encode() if isinstance(word, str) else word
        digest.update(len(content).to_bytes(8, "little") + content + bytes(-len(content) % 8))
    return f"sha256-{base64.b64encode(digest.digest()).decode()}"


def _words(tree: Tree) -> Iterator[str | bytes]:
    if isinstance(tree, File):
        yield from ("(", "type", "regular", *(("executable", "") if tree.executable else ()), "contents", tree.content)
    elif isinstance(tree, Link):
        yield from ("(", "type", "symlink", "target", tree.target)
    else:
        yield from ("(", "type", "directory")
        for name in sorted(tree, key=str.encode):
            yield from ("entry", "(", "name", name, "node", *_words(tree[name]), ")")
    yield ")"


def folder_tree(path: Path, without: tuple[str, ...] = (".git",)) -> Tree:
    """What lies in a folder, but for entries of these names at its top. Raises OSError."""
    if path.is_symlink():
        return Link(os.readlink(path))  # noqa: PTH115 (pathlib would tidy the target)
    if path.is_dir():
        return {child.name: folder_tree(child, ()) for child in path.iterdir() if child.name not in without}
    return File(path.read_bytes(), bool(path.stat().st_mode & 0o100))


def archive_tree(path: Path) -> Tree:
    """What a tar archive holds below its one top folder. Raises tarfile.TarError, EOFError, OSError, zlib.error."""
    with path.open("rb") as file:
        root = tar_tree(file)
    if len(root) != 1:
        raise tarfile.ReadError(f"it holds {len(root)} folders instead of one")
    return next(iter(root.values()))


def tar_tree(archive: IO[bytes]) -> dict[str, Tree]:
    """What a tar archive holds. Raises as `archive_tree`."""
    root: dict[str, Tree] = {}
    with tarfile.open(fileobj=archive) as files:
        for member in files:
            folder, parts = root, PurePosixPath(member.name).parts
            for part in parts[:-1] if not member.isdir() else parts:
                below = folder.setdefault(part, {})
                if not isinstance(below, dict):
                    raise tarfile.ReadError(f"{member.name} lies in what is no folder")
                folder = below
            if member.issym():
                folder[parts[-1]] = Link(member.linkname)
            elif content := files.extractfile(member):
                folder[parts[-1]] = File(content.read(), bool(member.mode & 0o100))
    return root


def store_path(nar: str, name: str = "source") -> Path:
    """Where Nix puts a fetched tree of this hash; `source` is what fetchFromGitHub calls it.

    The digest names how the tree is hashed and the name; Nix folds it to 20 bytes and writes it from behind.
    """
    content = base64.b64decode(nar.removeprefix("sha256-")).hex()
    digest = hashlib.sha256(f"source:sha256:{content}:{STORE.as_posix()}:{name}".encode()).digest()
    folded = 0
    for start in range(0, len(digest), DIGEST_BYTES):
        folded ^= int.from_bytes(digest[start : start + DIGEST_BYTES], "little")
    characters = (ALPHABET[folded >> 5 * place & 31] for place in reversed(range(DIGEST_CHARS)))
    return STORE / f"{''.join(characters)}-{name}"


if __name__ == "__main__":
    print(nar_hash(folder_tree(Path(sys.argv[1]))))
