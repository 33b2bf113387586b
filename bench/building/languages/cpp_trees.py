"""Unpacked sources are used only if they match, file by file, an archive whose hash was computed just now.

Comparing all libraries takes 0.7 s.
"""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from bench.base import errors
from bench.base.progress import report
from bench.building.languages.cpp_nar import File, Link, Tree, folder_tree

WINDOWS = sys.platform == "win32"


def settle(tree: Path, expected: Tree, unpack: Callable[[Path], Path], what: str) -> None:
    """Has the folder `tree` hold what is expected: one that holds anything else is unpacked again, with a message.

    `unpack` is given an empty folder and gives the path of the tree in it. Raises OSError and what `unpack` raises.
    """
    if tree.exists():
        if alike(expected, folder_tree(tree, ())):
            return
        report(errors.tree_changed(tree, what))
    whole = tree.with_name(f"{tree.name}.tmp")
    shutil.rmtree(whole, ignore_errors=True)
    whole.mkdir(parents=True)
    unpacked = unpack(whole)
    if tree.exists():
        shutil.rmtree(tree)
    unpacked.rename(tree)
    shutil.rmtree(whole, ignore_errors=True)


def alike(expected: Tree, found: Tree) -> bool:
    """Whether two trees are the same; on Windows but for executable bits, and for links, which may be copies there."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(alike(tree, found[name]) for name, tree in expected.items())
    if WINDOWS and isinstance(expected, Link):
        return True
    if WINDOWS and isinstance(expected, File) and isinstance(found, File):
        return expected.content == found.content
    return expected == found
