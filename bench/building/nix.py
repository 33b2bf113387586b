"""Runners built by Nix as they are needed: `nix run .#bench` brings their derivations, and not what these build.

LAB_DERIVATIONS names a JSON file: codec → the store path of its derivation. Realising one compiles, or downloads from a
binary cache, what it needs and nothing else; a link in `.lab/nix` keeps the result from Nix's garbage collection.
"""

import os
import re
import shutil
import subprocess
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from pathlib import Path
from threading import Lock

import msgspec
import psutil

from bench.base import errors, paths
from bench.base.output import plural
from bench.base.programs import captured
from bench.base.progress import Report
from bench.building.languages.language import Builder, Language, Problem
from bench.building.manifest import codec_of
from bench.model.description import PUBLISHED_TYPES, RunnerEntry, Wanted

HOME = paths.STATE / "nix"
PROGRAM = "nix-store"
DEFAULT_BUILD = ""
BUILDS_AT_ONCE = 4
"""A codec's own code keeps one core busy; what several of them share is built once all the same, by Nix's locks."""
SECONDS_A_CODEC = {"rust": 60, "cpp": 30, "python": 5}
"""Rough, without a binary cache and with a share of what codecs have in common; for the remaining time only."""
STORE = Path("/nix/store")
STORE_BYTES_A_CODEC = 20 * 2**20
"""Its build and its share of compiled dependencies: those of all take 1.8 GB. Compilers come on top."""
MESSAGE_LINES = 25
STEP = re.compile(r"(building|copying path|downloading) '(?:/nix/store/\w{32}-)?([^']+)'")
"""Nix's lines about what it does, of which each is shown once."""
NO_NIX = (
    "This lab builds the runners that it measures with Nix. Put Nix into the PATH, or build everything beforehand on a "
    "machine that has it: `nix build .#lab` gives a bin/lab with all runners, which needs no Nix."
)

NO_SET = (
    "Nix builds what it knows when it starts: scenarios in schemas/scenarios that git tracks. Add the scenario, or "
    "measure without Nix: `./lab`."
)


def derivations(types: str = PUBLISHED_TYPES) -> dict[str, str] | None:
    """Codec → its derivation with a set of types, where Nix builds the runners; None elsewhere.

    Raises LabError for a set that the flake does not know.
    """
    path = os.environ.get(paths.DERIVATIONS_VARIABLE)
    if not path:
        return None
    try:
        known = msgspec.json.decode(Path(path).read_bytes(), type=dict[str, dict[str, str]])
    except (OSError, msgspec.DecodeError):
        advice = f"{paths.DERIVATIONS_VARIABLE} must name the file that `nix run .#bench` sets it to."
        raise errors.missing_tool(f"a list of derivations at {path}", advice) from None
    if types not in known:
        raise errors.missing_tool(f"a derivation of the types of {types}", NO_SET)
    return known[types]


def builder_of(language: Language, types: str = PUBLISHED_TYPES) -> Builder:
    """Who builds a language's programs with a set of types: the language with its own tools, or Nix."""
    known = derivations(types)
    return language if known is None else Nix(language, known)


class Nix:
    """The runners of one language, built by Nix."""

    def __init__(self, language: Language, derivations: dict[str, str]) -> None:
        self.language = language
        self.name = language.name
        self.derivations = derivations
        self._shown: set[str] = set()
        self._processes: set[subprocess.Popen[str]] = set()
        self._lock = Lock()
        self._is_over = False

    def codec_folders(self) -> list[Path]:
        """The language's folders, also of codecs that have no derivation on this platform."""
        return self.language.codec_folders()

    def libraries_of(self, folder: Path) -> set[str]:
        """The language's libraries of a codec; Nix has their code written where it builds."""
        return self.language.libraries_of(folder)

    def variants(self, wanted: Wanted) -> list[str]:  # noqa: ARG002 (a derivation is one build)
        """The default build: the flake has no other."""
        return [DEFAULT_BUILD]

    def inputs(self, wanted: Wanted) -> dict[str, str]:  # noqa: ARG002
        """Codec → its derivation, whose name is a hash of all that the build depends on."""
        return {codec: self.derivations.get(codec, "") for codec in map(codec_of, self.codec_folders())}

    def build_all(
        self,
        folders: list[Path],
        variants: list[str],  # noqa: ARG002
        report: Report,
    ) -> Generator[list[RunnerEntry]]:
        """Several at once; Nix builds what they share once. Raises LabError where there is no Nix."""
        nix_store()
        self._is_over = False
        with ThreadPoolExecutor(min(BUILDS_AT_ONCE, os.cpu_count() or 1)) as pool:
            builds: list[Future[RunnerEntry]] = [pool.submit(self._build, folder, report) for folder in folders]
            try:
                for build in as_completed(builds):
                    yield [build.result()]
            finally:  # Ctrl-C, or a reader that goes no further
                pool.shutdown(wait=False, cancel_futures=True)
                with self._lock:
                    self._is_over = True
                    for process in self._processes:
                        process.terminate()

    def provide(self, folders: list[Path], report: Report) -> list[Problem]:  # noqa: ARG002 (Nix itself downloads)
        """Nix, and room in its store. What is downloaded is known only while it is realised."""
        if not shutil.which(PROGRAM):
            return [Problem(PROGRAM, "not found", NO_NIX)]
        due = [folder for folder in folders if not self._link(folder).exists()]
        needed = len(due) * STORE_BYTES_A_CODEC
        if not STORE.is_dir() or (free := psutil.disk_usage(str(STORE)).free) >= needed:
            return []
        detail = (
            f"{free / 2**30:.1f} GiB are free in {STORE}, and {plural(len(due), 'build')} need {needed / 2**30:.1f} GiB"
        )
        return [Problem("disk space of Nix", detail, "Free some: `nix-collect-garbage` removes what nothing needs.")]

    def build_bytes(self, folders: list[Path]) -> int:  # noqa: ARG002
        """Nothing in the lab's own folder: the store has all of it."""
        return 0

    def build_seconds(self, folders: list[Path]) -> dict[str, float]:
        """The same for each; a binary cache makes it less."""
        return {codec_of(folder): SECONDS_A_CODEC.get(self.name, 60) for folder in folders}

    def _link(self, folder: Path) -> Path:
        """What points to a codec's build, once there is one."""
        types = self.language.code
        return (HOME if types.is_published else types.home / HOME.name) / self.name / folder.name

    def _build(self, folder: Path, report: Report) -> RunnerEntry:
        codec, link = codec_of(folder), self._link(folder)
        if codec not in self.derivations:
            return self.language.entry(folder, link)
        report(f"building {codec} with Nix")
        if problem := self._realise(self.derivations[codec], link, report):
            entry = self.language.entry(folder, link)
            return msgspec.structs.replace(entry, unavailable=problem, sha256=None, version=None)
        built = link.resolve()
        return msgspec.structs.replace(self.language.entry(folder, built), identity=identity(built))

    def _realise(self, derivation: str, link: Path, report: Report) -> str | None:
        """Makes `link` point to what a derivation builds; returns why it does not build."""
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)
        command = [nix_store(), "--realise", "--no-build-output", "--add-root", str(link), derivation]
        lines: deque[str] = deque(maxlen=MESSAGE_LINES)
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8", errors="replace"
        ) as process:
            with self._lock:
                self._processes.add(process)
                if self._is_over:
                    process.terminate()
            assert process.stderr
            for line in process.stderr:
                lines.append(line.rstrip())
                self._show(line, report)
        with self._lock:
            self._processes.discard(process)
        if process.returncode == 0:
            return None
        said = next((line for line in lines if line.startswith("error:")), lines[-1] if lines else "no message")
        return f"does not build: {said.removeprefix('error:').strip()} (all of it: `nix log {derivation}`)"

    def _show(self, line: str, report: Report) -> None:
        if not (step := STEP.search(line)):
            return
        with self._lock:
            is_new = step[0] not in self._shown
            self._shown.add(step[0])
        if is_new:
            report(f"Nix: {step[1]} {step[2].removesuffix('.drv')}")


def nix_store() -> str:
    """The program that realises derivations. Raises LabError if there is none."""
    program = shutil.which(PROGRAM)
    if not program:
        raise errors.missing_tool(PROGRAM, NO_NIX)
    return program


def identity(built: Path) -> dict[str, str]:
    """What the store knows of a runner: the path, which says what it was built from, and the hash of what came out."""
    done = captured([nix_store(), "--query", "--hash", str(built)])
    return {"store_path": str(built), "nar_hash": done.stdout.strip()}
