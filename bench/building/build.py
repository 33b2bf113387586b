"""Builds runners and writes the manifest from which the rest of the driver works.

A language is a module in `bench.building.languages` (see `language.py` there); its codecs are the folders in
runners/<language>/codecs. With LAB_RUNNERS nothing is built: that variable names the manifest. With LAB_DERIVATIONS Nix
builds.
"""

import hashlib
import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Semaphore

import msgspec
from filelock import FileLock, Timeout

from bench.base import errors, paths
from bench.base.files import write_json
from bench.base.programs import stop_tools
from bench.base.progress import Report
from bench.base.protocol import PROTOCOL
from bench.base.supervision import WAKE_S
from bench.building import nix
from bench.building.languages import LANGUAGES
from bench.building.languages.digests import digest
from bench.building.languages.language import Builder, Testee
from bench.building.manifest import codec_of, is_given, known_manifest, load_manifest, manifest_path
from bench.building.problems import problems_of
from bench.building.runner import Runner
from bench.building.sets.code import SetCode, published
from bench.building.tools import has_schema_compilers, provide_schema_compilers
from bench.model.description import PUBLISHED_TYPES, Manifest, RunnerEntry, Wanted
from bench.types.type_set import TypeSet


def load_runners() -> list[Runner]:
    """The runners of the current manifest, sorted by codec. Raises LabError if nothing is built."""
    return [Runner(entry) for entry in load_manifest().runners]


def build(
    report: Report,
    *,
    codecs: Collection[str] | None = None,
    built: Callable[[str], None] = lambda _: None,
    retry: bool = False,
    force: bool = False,
    chosen: Mapping[str, list[str] | bool] | None = None,
    types: TypeSet | None = None,
) -> Manifest:
    """Brings codecs up to date, all if None; `built` is told of each as soon as its builds are done, or have failed.

    `types` are those that the programs are compiled with, None for the published ones: a set has programs and a
    manifest of its own. The manifest is written after each codec, and holds what is up to date, of earlier calls too.
    A codec that does not build becomes unavailable with the reason. It is tried again when one of its inputs changes,
    or with `retry`; `force` calls the build tools for every codec asked for. `chosen` replaces fields of `Wanted`,
    which persist until they are chosen again. Another `lab build` in the same folder is waited for.
    """
    code = code_of(types)
    if is_given():
        given = load_manifest(code.name)
        if not given.runners and not code.is_published:
            advice = f"Measure without {paths.RUNNERS_VARIABLE}: `./lab` builds them."
            raise errors.missing_tool(f"a runner with the types of {code.name} in {paths.manifest()}", advice)
        return given
    if chosen:
        for builder in builders(code):
            builder.variants(msgspec.structs.replace(Wanted(), **chosen))  # says what of it no compiler knows
    with _alone(report):
        manifest, path = _up_to_date(code, chosen), manifest_path(code.name)
        due = {
            builder: folders
            for builder in builders(code)
            if (folders := [f for f in _asked(builder, codecs) if force or _is_due(manifest, builder, f, retry)])
        }
        _provide(due, report)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, manifest)
        inputs = {codec: one for builder in due for codec, one in builder.inputs(manifest.wanted).items()}
        with closing(_side_by_side(code, due, manifest.wanted, report)) as made:
            for entries in made:
                manifest = _with(manifest, entries, inputs[entries[0].codec])
                write_json(path, manifest)
                built(entries[0].codec)
        return manifest


def _side_by_side(
    code: SetCode, due: Mapping[Builder, list[Path]], wanted: Wanted, report: Report
) -> Generator[list[RunnerEntry]]:
    """The entries of each codec as it is built. Languages are built at the same time.

    Of Cargo's calls many are for one codec alone, which keeps one processor busy. Missing compilers of schemas are
    compiled beside the codecs that need none, as zig's libraries keep one processor busy too. A language goes on when
    its entries were read: what is interrupted has built nothing that nobody knows of.
    """
    made: SimpleQueue[tuple[list[RunnerEntry], Semaphore]] = SimpleQueue()
    read = {builder: Semaphore(0) for builder in due}
    waiting = _awaiting_compilers(code, due)
    ended = Event()

    def provide_compilers() -> None:
        try:
            provide_schema_compilers(report)
        except errors.LabError as error:
            report(str(error))  # and the codecs that need one say so

    def build_part(builder: Builder, folders: list[Path]) -> None:
        with closing(builder.build_all(folders, builder.variants(wanted), report)) as built:
            for entries in built:
                made.put((entries, read[builder]))
                read[builder].acquire()
                if ended.is_set():
                    return

    def build_language(builder: Builder, folders: list[Path]) -> None:
        later = waiting.get(builder, [])
        if first := [folder for folder in folders if folder not in later]:
            build_part(builder, first)
        if later:
            wait(compilers)
            if not ended.is_set():
                build_part(builder, later)

    with ThreadPoolExecutor(len(due) + 1) as threads:
        compilers = {threads.submit(provide_compilers)} if waiting else set()
        running = compilers | {threads.submit(build_language, *language) for language in due.items()}
        try:
            while running or not made.empty():
                with suppress(Empty):
                    entries, was_read = made.get(timeout=WAKE_S)
                    yield entries
                    was_read.release()
                for done in [thread for thread in running if thread.done()]:
                    running.remove(done)
                    done.result()
        finally:
            ended.set()
            for one in read.values():
                one.release()
            while running:
                stop_tools()
                running = wait(running, WAKE_S).not_done


def _awaiting_compilers(code: SetCode, due: Mapping[Builder, list[Path]]) -> dict[Builder, list[Path]]:
    """The codecs whose generators call a compiler of schemas, if one is missing here; Nix has its own."""
    if nix.derivations(code.name) is not None:
        return {}
    calling = {
        builder: [folder for folder in folders if code.calls_compilers(builder.name, builder.libraries_of(folder))]
        for builder, folders in due.items()
    }
    return calling if any(calling.values()) and not has_schema_compilers() else {}


def provide_for(codecs: Collection[str], report: Report, types: TypeSet | None = None) -> None:
    """Downloads what building these codecs needs, so that it needs no network later.

    Raises LabError that names all that is missing, with what mends it.
    """
    if is_given():
        return
    code = code_of(types)
    with _alone(report):
        manifest = _up_to_date(code, None)
        due = {b: [f for f in _asked(b, codecs) if _is_due(manifest, b, f, retry=False)] for b in builders(code)}
        _provide({builder: folders for builder, folders in due.items() if folders}, report)


def _provide(due: Mapping[Builder, list[Path]], report: Report) -> None:
    lacking = problems_of(due, report) if due else []
    if any(one.hinders for one in lacking):
        raise errors.cannot_build([f"{one.lack}: {one.detail}. {one.advice}" for one in lacking if one.hinders])
    for one in lacking:
        report(f"{one.detail}. {one.advice}")


def write_code(language: str, report: Report) -> None:
    """Writes the code of the published types for all libraries of a language, for tools that read the whole workspace.

    Raises LabError if a library's own compiler cannot be had.
    """
    provide_schema_compilers(report)
    if lacking := published().write(language).reasons:
        raise errors.cannot_build(list(lacking.values()))


def build_estimates_s(codecs: Collection[str] | None = None, types: TypeSet | None = None) -> dict[str, float]:
    """Codec → roughly how many seconds its build still takes; 0 where it is up to date, or built elsewhere."""
    if is_given():
        return dict.fromkeys(codecs or (), 0.0)
    code = code_of(types)
    manifest = _up_to_date(code, None) if manifest_path(code.name).exists() else None
    estimates: dict[str, float] = {}
    for builder in builders(code):
        folders = _asked(builder, codecs)
        due = [folder for folder in folders if not manifest or _is_due(manifest, builder, folder, retry=False)]
        estimates |= dict.fromkeys((codec_of(folder) for folder in folders), 0.0) | builder.build_seconds(due)
    return estimates


def code_of(types: TypeSet | None) -> SetCode:
    """The code of some types, the published ones if None."""
    return published() if types is None or types.name == PUBLISHED_TYPES else SetCode(types)


def builders(code: SetCode) -> list[Builder]:
    """Who builds programs of a set of types: the languages with their own tools, or Nix."""
    languages = [language if code.is_published else language.of(code) for language in LANGUAGES.values()]
    return [nix.builder_of(language, code.name) for language in languages]


def _asked(builder: Builder, codecs: Collection[str] | None) -> list[Path]:
    return [folder for folder in builder.codec_folders() if codecs is None or codec_of(folder) in codecs]


@contextmanager
def _alone(report: Report) -> Iterator[None]:
    """Waits for another build in the same folder: build tools write into one folder, and unpack sources anew."""
    paths.STATE.mkdir(parents=True, exist_ok=True)
    lock = FileLock(paths.STATE / "build.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        report(f"waiting for another build in {paths.brief(paths.STATE)}")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _up_to_date(code: SetCode, chosen: Mapping[str, list[str] | bool] | None) -> Manifest:
    """The manifest of what is built, without what changed since, and without a language whose compiler is missing.

    Which builds are wanted is chosen once, for all sets.
    """
    manifest = known_manifest(code.name)
    first = manifest if code.is_published else known_manifest()
    wanted = msgspec.structs.replace(first.wanted if first else Wanted(), **(chosen or {}))
    inputs: dict[str, str] = {}
    current: list[RunnerEntry] = []
    for builder in builders(code):
        try:
            of, variants = builder.inputs(wanted), builder.variants(wanted)
        except errors.LabError:  # of a language that is asked for, the build says it with all else that is missing
            continue
        entries = [entry for entry in manifest.runners if entry.codec in of] if manifest else []
        current += [entry for entry in entries if entry.variant in variants and _is_current(entry, of[entry.codec])]
        inputs |= of
    toolchain = os.environ.get(paths.TOOLCHAIN_VARIABLE) or "host"
    current.sort(key=_by_codec)
    return Manifest(PROTOCOL, toolchain, _total(inputs, wanted), current, wanted)


def _is_current(entry: RunnerEntry, inputs: str) -> bool:
    programs = [] if entry.unavailable else [entry.command[0], entry.program]
    return entry.inputs == inputs and all(Path(program).exists() for program in programs if program)


def _is_due(manifest: Manifest, builder: Builder, folder: Path, retry: bool) -> bool:
    variants = builder.variants(manifest.wanted)
    entries = [entry for entry in manifest.runners if entry.codec == codec_of(folder)]
    return {e.variant for e in entries} != set(variants) or (retry and any(e.unavailable for e in entries))


def _with(manifest: Manifest, entries: list[RunnerEntry], inputs: str) -> Manifest:
    """The manifest with the entries of one codec in place of those that it had."""
    others = [entry for entry in manifest.runners if entry.codec != entries[0].codec]
    runners = [*others, *(msgspec.structs.replace(entry, inputs=inputs) for entry in entries)]
    runners.sort(key=_by_codec)
    return msgspec.structs.replace(manifest, runners=runners)


def _by_codec(entry: RunnerEntry) -> tuple[str, str]:
    return entry.codec, entry.variant


def _total(inputs: Mapping[str, str], wanted: Wanted) -> str:
    lines = [f"{codec} {value}" for codec, value in sorted(inputs.items())]
    return digest([*lines, msgspec.json.encode(wanted).decode()])


def build_sanitized(report: Report, codecs: Collection[str], types: TypeSet | None = None) -> list[Runner]:
    """Builds codecs with sanitizers, in languages that support them; these are not in the manifest."""
    code = code_of(types)
    languages = [language if code.is_published else language.of(code) for language in LANGUAGES.values()]
    with _alone(report):
        made = [language.sanitized(_asked(language, codecs), report) for language in languages]
    return [Runner(entry) for entries in made for entry in entries]


def has_testee(entry: RunnerEntry) -> bool:
    """Whether a program can answer a test suite's own program for a codec."""
    language = LANGUAGES.get(entry.codec.partition("/")[0])
    return language is not None and language.has_testee(entry)


def built_testee(entry: RunnerEntry, schemas: Path, report: Report) -> Testee:
    """That program, built if it is not up to date. Another build in the same folder is waited for. Raises LabError."""
    with _alone(report):
        return LANGUAGES[entry.codec.partition("/")[0]].testee(entry, schemas)


def built_elsewhere(folder: Path, toolchain: str, identities: Mapping[str, dict[str, str]]) -> Manifest:
    """The manifest of runners that were built by other means into FOLDER/<language>/<codec>."""
    entries = [
        language.entry(codec, (folder / language.name / codec.name).resolve())
        for language in LANGUAGES.values()
        for codec in language.codec_folders()
    ]
    entries = [msgspec.structs.replace(entry, identity=identities.get(entry.codec, {})) for entry in entries]
    entries.sort(key=_by_codec)
    programs = "".join(f"{entry.codec}={entry.sha256}\n" for entry in entries)
    total = hashlib.sha256(programs.encode()).hexdigest()
    return Manifest(PROTOCOL, toolchain, total, entries)


def fingerprint(wanted: Wanted) -> str:
    """SHA-256 of all inputs of a build of every codec."""
    inputs = [builder.inputs(wanted) for builder in builders(published())]
    return _total({codec: value for some in inputs for codec, value in some.items()}, wanted)
