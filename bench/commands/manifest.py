"""`lab manifest`, for builds by other means than `lab build`."""

from pathlib import Path

import click

from bench.base.output import plural

SECTION = "look after"


@click.command("manifest")
@click.argument("built", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER")
@click.option("--toolchain", type=click.Choice(["nix", "image", "host"]), required=True, help="What built them.")
@click.option(
    "--identities",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="JSON: codec → what identifies its build, such as a store path.",
)
@click.option(
    "-o", "--out", required=True, type=click.Path(path_type=Path), metavar="FILE", help="The manifest to write."
)
def manifest(built: Path, toolchain: str, identities: Path | None, out: Path) -> None:
    """Write the manifest of runners that were built elsewhere.

    FOLDER/<language>/<codec> holds the files that the build of a codec installed; a codec without them is unavailable.
    With LAB_RUNNERS=FILE the lab then uses these runners and builds nothing.
    """
    import msgspec

    from bench.base import errors
    from bench.base.files import read_bytes, write_json
    from bench.building.build import built_elsewhere

    identified = {}
    if identities:  # of another program, and without a version
        try:
            identified = msgspec.json.decode(read_bytes(identities), type=dict[str, dict[str, str]])
        except msgspec.DecodeError as error:
            problem = f"{error}; it must be an object: codec → an object of texts"
            raise errors.bad_file(identities, None, "", problem) from None
    written = built_elsewhere(built, toolchain, identified)
    write_json(out, written)
    missing = [entry.codec for entry in written.runners if entry.unavailable]
    click.echo(f"{plural(len(written.runners) - len(missing), 'runner')}, {len(missing)} unavailable: {out}")
