"""How clang-tidy reads the C++ kit: as the pinned zig compiles it, with zig's headers of the C and C++ libraries.

clang-tidy of the same version as zig's clang takes the include folders and definitions that zig passes to it; only zig
understands zig's own command line.
"""

import json
import os
import shlex
from pathlib import Path

from bench.base.paths import STATE
from bench.base.programs import captured
from bench.building.languages.cpp import KIT, library_of
from bench.building.languages.cpp_build import PROJECT, Build
from bench.building.languages.cpp_sources import resolve
from bench.building.languages.cpp_tools import BASELINE, HOME, caches, triple, zig
from bench.building.languages.language import folders_below
from bench.scenarios.load import load_scenarios
from bench.scenarios.sets import type_set
from bench.types.generation import PLAIN, write_types
from bench.types.type_set import PUBLISHED

FOLDER = HOME / "tidy"
MESSAGES = STATE / "types" / PUBLISHED / "cpp" / PLAIN
"""The generated plain types."""


def kit_files() -> list[Path]:
    """The checked sources: kit, generated messages, and controls, which instantiate the kit's templates."""
    controls = [folder / "main.cpp" for folder in folders_below("cpp", "codec.json") if library_of(folder) is None]
    return sorted([*(PROJECT / "kit" / "src").rglob("*.cpp"), *MESSAGES.glob("*.cpp"), *controls])


def write_commands() -> Path:
    """Writes compile_commands.json and returns its folder. Raises SourceError, ToolError."""
    types = type_set(PUBLISHED, load_scenarios(sweeps=True).values())
    write_types(types.of_language("cpp"), "cpp")
    build = Build("zig", BASELINE)
    build.configure()
    own = [PROJECT / "kit" / "include", PROJECT / "messages" / "include", PROJECT / "messages" / "src", MESSAGES]
    own.append(build.folder / "include")
    foreign = [source.tree / source.include for source in map(resolve, KIT)]
    words = ["clang++", "-std=c++23", "-target", triple(), "-nostdinc", *zig_words(zig()[0])]
    words += [word for folder in own for word in ("-I", str(folder))]
    words += [word for folder in foreign for word in ("-isystem", str(folder))]
    commands = [
        {"directory": str(PROJECT), "file": str(file), "arguments": [*words, "-c", str(file)]} for file in kit_files()
    ]
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "compile_commands.json").write_text(json.dumps(commands, indent=1), encoding="utf-8")
    return FOLDER


def zig_words(zig: Path) -> list[str]:
    """The folders of system headers and the definitions that zig's own clang is called with."""
    command = [str(zig), "c++", "-target", triple(), "-std=c++23", "-E", "-v", "-x", "c++", os.devnull]
    lines = captured(command, env=os.environ | caches()).stderr.splitlines()
    words = shlex.split(next((line for line in lines if " -cc1 " in line), ""), posix=os.name != "nt")
    pairs = list(zip(words, words[1:], strict=False))
    folders = [
        word for option, value in pairs if option == "-isystem" for word in (option, str(Path(value).absolute()))
    ]
    return [*folders, *(word for option, value in pairs if option == "-D" for word in (option, value))]
