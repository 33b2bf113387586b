"""Rust: one Cargo workspace, built in groups of codecs, so that no other codec's features affect a codec."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Generator, Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from bench.base import errors
from bench.base.files import sha256_of
from bench.base.paths import EXE, ROOT, RUNNERS, SCHEMAS, SCHEMAS_VARIABLE, STATE, TYPES_VARIABLE
from bench.base.programs import captured
from bench.base.progress import Report
from bench.building import relink, toolchain
from bench.building.languages.digests import inputs_of
from bench.building.languages.language import (
    BEHIND_A_PROXY,
    UNREACHABLE,
    Problem,
    Testee,
    compile_seconds,
    files_below,
    folders_below,
    in_variants,
    is_built_here,
    locked_packages,
    testee_folder,
    with_code,
)
from bench.building.languages.rust_groups import features_of, groups, linked
from bench.building.languages.rust_link import recipe
from bench.building.manifest import codec_of
from bench.building.sets.code import MESSAGES, SetCode, published
from bench.building.sets.shared import share
from bench.model.description import RunnerEntry, Wanted
from bench.types.generation import shared

WORKSPACE = RUNNERS / "rust"
TARGET = STATE / "target"
FEATURES = STATE / "rust-features.json"
KEEP_OBJECTS = WORKSPACE / ".cargo" / "keep-objects"
"""The linker that Cargo is given on Linux: it keeps its inputs and calls `cc`, Cargo's default."""
BYTES_SHARED, BYTES_A_CODEC = 250 * 2**20, 25 * 2**20
"""`du -sm .lab/target` after a build of one codec, and of all."""
BASELINE = "baseline"
AS_PUBLISHED = "as-published"
"""The build with what Cargo does by default: 16 codegen units, and none of the flags in .cargo/config.toml."""
INSTALL_RUSTUP = (
    "Install rustup: `apt-get install rustup`, `brew install rustup`, or as the Rust project's page tells; it brings "
    "the version in rust-toolchain.toml by itself."
)
INSTALL_LINKER = {
    "darwin": "Install it with `xcode-select --install`.",
    "win32": "Install the Visual Studio Build Tools with the C++ workload.",
}.get(sys.platform, "Install a C linker: `apt-get install gcc libc6-dev`, or your distribution's equivalent.")


TOOLS = {"cargo": INSTALL_RUSTUP, "rustc": INSTALL_RUSTUP} | ({} if sys.platform == "win32" else {"cc": INSTALL_LINKER})
INSTALL_TOOLCHAIN = "Install it with `rustup toolchain install`, in the lab's folder."
IMPATIENT = {"CARGO_NET_RETRY": "1", "CARGO_HTTP_TIMEOUT": "10"}
"""A registry that does not answer is a message within seconds."""


class Rust:
    """The Rust runners."""

    name = "rust"

    def __init__(self, code: SetCode | None = None) -> None:
        self.code = code or published()

    def of(self, code: SetCode) -> "Rust":
        """Rust for programs of another set of types."""
        return Rust(code)

    def codec_folders(self) -> list[Path]:
        """The folders with a Cargo.toml below runners/rust/codecs."""
        return folders_below(self.name, "Cargo.toml")

    def sources(self) -> list[Path]:
        """All Rust sources and manifests, schemas that code is generated from, the lock file, the pinned toolchain.

        Templates are none: what they make of a set of types is a part of every codec's inputs, and not how.
        """
        files = [*files_below(WORKSPACE, "*.rs", "*.toml"), *SCHEMAS.glob("*.proto")]
        return sorted([*files, *self.lock_files(), KEEP_OBJECTS, ROOT / "rust-toolchain.toml"])

    def lock_files(self) -> list[Path]:
        """The workspace's Cargo.lock."""
        return [WORKSPACE / "Cargo.lock"]

    def variants(self, wanted: Wanted) -> list[str]:
        """One build for each CPU, the baseline's is "", and the one as published.

        Raises LabError for a CPU that rustc does not know.
        """
        others = [cpu for cpu in wanted.cpus if cpu != BASELINE]
        if others and not shutil.which("rustc"):
            raise errors.missing_tool("rustup (cargo, rustc)", INSTALL_RUSTUP)
        if unknown := next((cpu for cpu in others if cpu not in ("native", *self.cpus)), None):
            raise errors.unknown_cpu(unknown, self.compiler)
        return ["", *others, *([AS_PUBLISHED] if wanted.as_published else [])]

    def settings(self) -> dict[str, str]:
        """The compiler, and the user's variables from which Cargo reads settings of the profile."""
        names = sorted(name for name in os.environ if name.startswith("CARGO_PROFILE_RELEASE_"))
        return {"rustc": self.compiler, **{name: os.environ.get(name, "") for name in names}}

    def inputs(self, wanted: Wanted) -> dict[str, str]:  # noqa: ARG002 (each variant is a build of its own)
        """Codec → SHA-256 of its inputs."""
        settings = self.settings() | {TYPES_VARIABLE: self.code.digest(self.name)}
        return inputs_of(self.name, self.codec_folders(), self.sources(), settings)

    def provide(self, folders: list[Path], report: Report) -> list[Problem]:  # noqa: ARG002 (one lock file for all)
        """Rust's tools, the pinned toolchain, and the crates of Cargo.lock."""
        if lacking := [Problem(tool, "not found", advice) for tool, advice in TOOLS.items() if not shutil.which(tool)]:
            return lacking
        if target := os.environ.get("CARGO_BUILD_TARGET"):
            return [
                Problem(f"CARGO_BUILD_TARGET={target}", "builds programs elsewhere than the lab looks", "Unset it.")
            ]
        try:
            _check_toolchain()
            target = self.host
        except errors.LabError as error:
            return [Problem("the pinned Rust", str(error), INSTALL_TOOLCHAIN)]
        report("fetching crates")
        done = _run(["cargo", "fetch", "--quiet", "--locked", "--target", target], variables=IMPATIENT)
        said = "\n".join(line for line in done.stderr.splitlines() if not line.startswith("help:"))
        if done.returncode == 0 or not UNREACHABLE.search(said):
            return []  # what else Cargo refuses, a codec's manifest for instance, is a reason of its codecs
        return [Problem("the crates registry", _last_cause(said), BEHIND_A_PROXY)]

    def build_all(self, folders: list[Path], variants: list[str], report: Report) -> Generator[list[RunnerEntry]]:
        """One call of Cargo for each group whose codecs give their crates the same features, and for each variant."""
        _check_toolchain()
        folders = yield from with_code(self, folders, variants)
        folder_of = {_package(folder)["name"]: folder for folder in folders}
        # The largest group last: it keeps every processor busy to its end. The small ones do not, and the build of C++
        # beside them takes what they leave.
        for packages in sorted(groups(features_of(list(folder_of), WORKSPACE, FEATURES)), key=len):
            group = [folder_of[package] for package in packages]
            report(f"building {', '.join(codec_of(folder) for folder in group)}")
            yield from in_variants(group, variants, self._build_group)

    def _build_group(self, folders: list[Path], variant: str) -> Iterator[tuple[Path, RunnerEntry]]:
        """One build of each codec, by one call of Cargo; a codec that is not among what it built is asked for alone."""
        folder_of = {_package(folder)["name"]: folder for folder in folders}
        target = self.target(variant)
        self.share_with_published(variant)
        for package in linked(*self.command(list(folder_of), variant, target), target, WORKSPACE):
            if folder := folder_of.pop(package, None):
                yield folder, self._entry(folder, target / "release" / f"{package}{EXE}", None, variant)
        for folder in folder_of.values():
            yield folder, self.build(folder, variant)
        self.share_with_published(variant)

    def target(self, variant: str) -> Path:
        """The folder that Cargo builds a variant in: a set has one of its own."""
        published = target_of(variant)
        return published if self.code.is_published else self.code.home / published.name

    def share_with_published(self, variant: str) -> None:
        """Takes from the published programs what depends on no types, and gives them what they lack of it."""
        if not self.code.is_published:
            share(target_of(variant), self.target(variant), WORKSPACE)
            share(self.target(variant), target_of(variant), WORKSPACE)

    def libraries_of(self, folder: Path) -> set[str]:
        """Those that its manifest depends on."""
        dependencies = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8")).get("dependencies", {})
        return {name.removeprefix("wirelab-") for name in dependencies if name.startswith("wirelab-")}

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """A program each, and once the crates that all share."""
        begun = target_of("").exists() or self.target("").exists()
        return compile_seconds([codec_of(folder) for folder in folders], begun=begun)

    def build_bytes(self, folders: list[Path]) -> int:
        """Each its own objects and program; what they share."""
        return BYTES_SHARED + len(folders) * BYTES_A_CODEC

    @cached_property
    def compiler(self) -> str:
        """`rustc --version` of the pinned toolchain, which rustup installs if it is missing."""
        if not shutil.which("cargo") or not shutil.which("rustc"):
            raise errors.missing_tool("rustup (cargo, rustc)", INSTALL_RUSTUP)
        if sys.platform != "win32" and not shutil.which("cc"):
            raise errors.missing_tool("a C linker (cc)", INSTALL_LINKER)
        done = _run(["rustc", "--version"])
        if done.returncode != 0 and shutil.which("rustup"):
            _run(["rustup", "toolchain", "install", _pinned_channel(), "--profile", "minimal"])
            done = _run(["rustc", "--version"])
        if done.returncode != 0:
            raise errors.tool_failed(
                "asking for the Rust compiler",
                ["rustc", "--version"],
                done.returncode,
                done.stderr,
                f"Install the pinned toolchain: `rustup toolchain install {_pinned_channel()}`.",
            )
        return done.stdout.strip()

    @cached_property
    def cpus(self) -> set[str]:
        """The CPUs of this architecture that the compiler generates code for."""
        lines = _run(["rustc", "--print", "target-cpus"]).stdout.splitlines()
        return {line.split()[0] for line in lines if line.startswith("    ")}

    def build(self, folder: Path, variant: str = "") -> RunnerEntry:
        """Builds one codec with `cargo build --release --locked -p`. A variant has a target folder of its own."""
        _check_toolchain()
        name = _package(folder)["name"]
        target = self.target(variant)
        command, variables = self.command([name], variant, target)
        done = _run(command, target, variables)
        reason = f"does not build: {' '.join(command)}: {_first_error(done.stderr)}" if done.returncode != 0 else None
        return self._entry(folder, target / "release" / f"{name}{EXE}", reason, variant)

    def command(self, packages: list[str], variant: str, target: Path) -> tuple[list[str], dict[str, str]]:
        """How Cargo builds codecs: the command, and variables for it."""
        options, variables = self.choices(variant, target)
        chosen = [word for package in packages for word in ("-p", package)]
        return ["cargo", "build", "--quiet", "--release", "--locked", "--keep-going", *chosen, *options], variables

    def choices(self, variant: str, target: Path) -> tuple[list[str], dict[str, str]]:
        """What Cargo is told of a build: options, and variables."""
        flags, options = same_everywhere(target if self.code.is_published else target_of(variant)), []
        types = {TYPES_VARIABLE: str(self.code.folder)}
        if sys.platform == "linux":
            options = ["--config", f"target.{self.host}.linker={json.dumps(str(KEEP_OBJECTS))}"]
        if variant == AS_PUBLISHED:
            units = {
                "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
                "WIRELAB_BUILD": AS_PUBLISHED,
            }  # kit/build.rs reads both
            return options, _flags(flags) | units | types
        cpu = [f"-Ctarget-cpu={variant}"] if variant else []
        return options, _flags([*_aligning(), *flags, *cpu]) | types

    @cached_property
    def host(self) -> str:
        """The target triple of this machine."""
        return _facts()["host"]

    def can_link(self, entry: RunnerEntry) -> str | None:
        """Why a runner has one layout only; None if it can be linked in others."""
        return relink.why_not(entry, recipe)

    def link(self, entry: RunnerEntry, layout: int) -> RunnerEntry:
        """A runner in another layout, linked from the objects that Cargo's build left. Raises LinkError."""
        return relink.link(entry, layout, recipe)

    def entry(self, folder: Path, built: Path) -> RunnerEntry:
        """The codec that was built into the folder `built`: the program bin/PACKAGE."""
        program = built / "bin" / f"{_package(folder)['name']}{EXE}"
        return self._entry(folder, program, None if program.exists() else errors.not_provided(built))

    def _entry(self, folder: Path, program: Path, unavailable: str | None, variant: str = "") -> RunnerEntry:
        package = _package(folder)
        library = package.get("metadata", {}).get("wirelab", {}).get("library")
        version = self.locked_version(package["name"], library) if library and not unavailable else None
        return RunnerEntry(
            codec=codec_of(folder),
            command=[str(program)],
            library=library,
            version=version,
            sha256=None if unavailable else sha256_of(program),
            unavailable=unavailable,
            variant=variant,
            types=self.code.name,
        )

    def pinned_version(self, folder: Path) -> str | None:
        """The version of a codec's library in Cargo.lock."""
        package = _package(folder)
        library = package.get("metadata", {}).get("wirelab", {}).get("library")
        return self.locked_version(package["name"], library) if library else None

    def sanitized(self, folders: list[Path], report: Report) -> list[RunnerEntry]:  # noqa: ARG002
        """None: safe Rust needs no sanitizer, and unsafe code is tested in its crates."""
        return []

    def has_testee(self, entry: RunnerEntry) -> bool:
        """Whether a codec that was built here has a package in testees/."""
        return is_built_here(entry) and (testee_folder(entry) / "Cargo.toml").exists()

    def testee(self, entry: RunnerEntry, schemas: Path) -> Testee:
        """Built as codecs are. Crates that compile schemas look for protoc in PROTOC."""
        package, target = _package(testee_folder(entry))["name"], self.target("")
        command, variables = self.command([package], "", target)
        done = _run(command, target, variables | {SCHEMAS_VARIABLE: str(schemas)} | shared("protoc").variables())
        if done.returncode != 0:
            raise errors.LabError(f"{package} does not build: {_cause(done.stderr)} It is built by {' '.join(command)}")
        program = target / "release" / f"{package}{EXE}"
        return Testee([str(program)], program)

    def build_clean(self, folder: Path, variant: str, target: Path) -> str | None:
        """Builds the codec and its dependencies in a target folder of their own."""
        _check_toolchain()
        self.code.write(self.name, libraries={MESSAGES, *self.libraries_of(folder)})
        command, variables = self.command([_package(folder)["name"]], variant, target)
        done = _run(command, target, variables)
        return f"does not build: {_first_error(done.stderr)}" if done.returncode != 0 else None

    def packages(self, folder: Path) -> set[str] | None:
        """The crates of its dependency tree, those of build scripts and macros too, without the workspace's own."""
        package = _package(folder)["name"]
        tree = features_of([package], WORKSPACE, FEATURES)[package]
        own = {one["name"] for one in locked_packages(self.lock_files()[0].read_text("utf-8")) if "source" not in one}
        return {crate for crate in tree.anywhere if crate.split()[0] not in own} if tree else None

    def locked_version(self, package: str, library: str) -> str:
        """The version of `library` that Cargo.lock gives to `package`."""
        packages = locked_packages(self.lock_files()[0].read_text(encoding="utf-8"))
        dependencies = next(p for p in packages if p["name"] == package)["dependencies"]
        # "name" where the lock file holds one version of it, "name version" where it holds several
        versions = [p["version"] for p in packages if p["name"] == library]
        exact = [d.split()[1] for d in dependencies if d.split()[0] == library and " " in d]
        return str(exact[0] if exact else versions[0])


def target_of(variant: str) -> Path:
    """The folder that Cargo builds a variant in: what variants have in common has other flags in each."""
    return TARGET.with_name("-".join(filter(None, (TARGET.name, variant))))


def _package(folder: Path) -> dict[str, Any]:
    package: dict[str, Any] = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))["package"]
    return package


def same_everywhere(target: Path) -> list[str]:
    """Flags that keep the folders of this machine out of a program: two checkouts build the same bytes.

    All sets of types are compiled with the same, or Cargo would compile anew what does not depend on types.
    """
    home = Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo").absolute()
    # The last that fits counts: the target folder usually lies in the checkout.
    names = {home: "/cargo", ROOT: "/lab", STATE / "types": "/types", STATE / "sets": "/sets", target: "/target"}
    return [f"--remap-path-prefix={folder}={name}" for folder, name in names.items()]


def _flags(flags: list[str]) -> dict[str, str]:
    """The variable that Cargo takes before all others, and before its files: no flags of the user reach a runner."""
    return {"CARGO_ENCODED_RUSTFLAGS": "\x1f".join(flags)}


def _aligning() -> list[str]:
    """The flags of .cargo/config.toml, which a call of Cargo by hand takes."""
    settings = tomllib.loads((WORKSPACE / ".cargo" / "config.toml").read_text(encoding="utf-8"))
    return list(settings["build"]["rustflags"])


def _run(
    command: list[str], target: Path = TARGET, variables: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CARGO_TARGET_DIR": str(target)} | (variables or {})
    return captured(command, cwd=WORKSPACE, env=environment)


def _pinned_channel() -> str:
    return str(tomllib.loads((ROOT / "rust-toolchain.toml").read_text(encoding="utf-8"))["toolchain"]["channel"])


@cache
def _check_toolchain() -> None:
    """Runs once, before the first build. Raises LabError if rustup's toolchain is not the pinned one."""
    facts = _facts()
    if facts["release"] != _pinned_channel():
        advice = "Unset RUSTUP_TOOLCHAIN." if os.environ.get("RUSTUP_TOOLCHAIN") else INSTALL_RUSTUP
        raise errors.other_compiler("Rust", facts["release"], _pinned_channel(), advice)
    sysroot = _run(["rustc", "--print=sysroot"]).stdout.strip()
    toolchain.check(Path(sysroot), facts["host"], facts["release"])


def _facts() -> dict[str, str]:
    """What the compiler says of itself, `host` and `release` among it. Raises LabError."""
    command = ["rustc", "--version", "--verbose"]
    done = _run(command)
    facts = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    if not {"host", "release"} <= facts.keys():
        said = f"{done.stdout}{done.stderr}" or "it says nothing"
        raise errors.tool_failed("asking for the Rust compiler", command, done.returncode, said, INSTALL_RUSTUP)
    return facts


def _last_cause(output: str) -> str:
    """The innermost of Cargo's causes, which says what the network answered."""
    return (output.strip().splitlines() or ["no message"])[-1].strip().rstrip(".")


def _cause(output: str) -> str:
    """What a build script that failed said, else the first error."""
    lines = output.splitlines()
    panics = [index for index, line in enumerate(lines) if " panicked at " in line and index + 1 < len(lines)]
    return lines[panics[0] + 1].strip() + "." if panics else f"{_first_error(output)}."


def _first_error(output: str) -> str:
    lines = [line for line in output.splitlines() if line.startswith("error")]
    return (lines or output.splitlines() or ["no message"])[0]
