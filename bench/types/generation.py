"""Generated code: what the users of each library would write by hand for the types of a set.

A generator is the folder of a library, runners/LANGUAGE/libraries/LIBRARY, or runners/LANGUAGE/messages for the plain
types that all of a language's libraries share. It holds

    NAME.j2          a Jinja template of a file NAME, which reads like the library's documentation
    generator.py     optional: `context(types, names)` gives the templates more to call, `finish(folder, types)` runs a
                     compiler over what was generated

What generators of several libraries share is in runners/shared: modules, which `shared(name)` loads, and templates that
theirs include.

Templates see `types` (`TypeSet`), `names` (`Names`), and the filters below. The code of LIBRARY goes to
FOLDER/LANGUAGE/LIBRARY, FOLDER being .lab/types/SET unless the caller says otherwise.
"""

import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bench.base.paths import ROOT, RUNNERS, STATE
from bench.types import expressions, names
from bench.types.names import Names
from bench.types.type_set import TypeSet

SUFFIX = ".j2"
MODULE = "generator.py"
PLAIN = "messages"
"""The folder of a language's plain types."""
SHARED = "shared"
"""The folder of what generators of several libraries have in common: modules, and templates that they include."""


def generators(language: str) -> list[Path]:
    """The folders of a language that have templates: the plain types first, then libraries by name."""
    libraries = sorted((RUNNERS / language / "libraries").glob("*"))
    return [folder for folder in (RUNNERS / language / PLAIN, *libraries) if any(folder.glob(f"*{SUFFIX}"))]


def types_folder(types: TypeSet) -> Path:
    """Where the code of a set is written."""
    return STATE / "types" / types.name


def write_types(types: TypeSet, language: str, folder: Path | None = None) -> list[Path]:
    """Writes the code of all of a language's generators; files that would not change are not touched.

    Returns all files, sorted. Raises LabError where a library's own compiler is missing or fails.
    """
    target = (folder or types_folder(types)) / language
    written = [path for generator in generators(language) for path in _write(generator, types, language, target)]
    return sorted(written)


def write_library(generator: Path, types: TypeSet, language: str, target: Path) -> list[Path]:
    """Writes the code of one generator into the folder of its language; see `write_types`."""
    return list(_write(generator, types, language, target))


def _write(generator: Path, types: TypeSet, language: str, target: Path) -> Iterator[Path]:
    folder = target / generator.name
    for name, text in generated(generator, types, language).items():
        path = folder / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
        yield path
    if (module := generator_module(generator)) and hasattr(module, "finish"):
        yield from module.finish(folder, types)


def inputs(types: TypeSet, language: str, *others: Path) -> str:
    """SHA-256 of all that decides what a language's generators make of a set, and of other files.

    Making it takes long; who has kept it need not make it again.
    """
    total = hashlib.sha256(f"{version('jinja2')}\n{types}\n".encode())
    own = [*generators(language), RUNNERS / SHARED, Path(__file__).parent]
    files = [path for folder in own for path in folder.rglob("*") if path.suffix in (SUFFIX, ".py")]
    for path in sorted([*files, *others]):
        total.update(f"{path.relative_to(ROOT)} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def generated(generator: Path, types: TypeSet, language: str) -> dict[str, str]:
    """The files that a generator's templates make of a set: name → text."""
    environment = Environment(  # noqa: S701 (it writes programs, not pages; what comes from data is a literal)
        loader=FileSystemLoader([generator, RUNNERS / SHARED]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "rust": names.rust_literal,
        "cpp": names.cpp_literal,
        "python": names.python_literal,
        "comment": names.comment_text,
    }
    environment.tests |= {
        "scalar": lambda of: isinstance(of, expressions.Scalar),
        "list": lambda of: isinstance(of, expressions.ListOf),
        "array": lambda of: isinstance(of, expressions.ArrayOf),
        "map": lambda of: isinstance(of, expressions.MapOf),
        "option": lambda of: isinstance(of, expressions.OptionOf),
        "tuple": lambda of: isinstance(of, expressions.TupleOf),
        "struct": lambda of: types.struct(of) is not None,
        "enum": lambda of: types.enum(of) is not None,
    }
    identifiers = Names(types, language)
    context = {"types": types, "names": identifiers}
    if (module := generator_module(generator)) and hasattr(module, "context"):
        context |= module.context(types, identifiers)
    return {
        path.name.removesuffix(SUFFIX): environment.get_template(path.name).render(context)
        for path in sorted(generator.glob(f"*{SUFFIX}"))
    }


def shared(name: str) -> ModuleType:
    """The module runners/shared/NAME.py, which generators of several languages have in common."""
    return _loaded(f"wirelab_shared_{name}", RUNNERS / SHARED / f"{name}.py")


def generator_module(generator: Path) -> ModuleType | None:
    """A generator's own Python, if it has any."""
    path = generator / MODULE
    name = f"wirelab_generator_{'_'.join(generator.parts[-3:])}".replace("-", "_")
    return _loaded(name, path) if path.exists() else None


def _loaded(name: str, path: Path) -> ModuleType:
    if name not in sys.modules:
        specification = importlib.util.spec_from_file_location(name, path)
        assert specification and specification.loader
        module = importlib.util.module_from_spec(specification)
        sys.modules[name] = module
        specification.loader.exec_module(module)
    return sys.modules[name]
