"""The first page's question: which format to use, in three choices. The answers are made here; the page only shows one.

A view is a message and a language. Its rows are of one run, so that no answer compares figures of two: of the runs that
measured nearly as many codecs of this language in the scenario as any, the best one.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from analysis.base.anchors import site_table
from analysis.base.text import count, duration_ns, size
from analysis.data.cells import ScenarioCells
from analysis.data.floors import calm_spread
from analysis.site import charts
from analysis.site.lab import Lab, scenario_page
from analysis.tables.choices.answers import Goal, answer, language_name, malformed_words, missing_of, words
from analysis.tables.choices.choice import Choice, choices, front, malformed_share
from analysis.tables.choices.shapes import MessageShape, shape_of
from analysis.tables.layout import NOTHING
from analysis.tables.notes import machine
from analysis.tables.reports import RunReport, ScenarioReport
from bench.model.scenario import Scenario

ANY = "any"
NEARLY_ALL = 0.8
"""A run with this share of the codecs of another may stand for it."""
COLUMNS = (
    "Codec",
    "Write and read",
    "Size (bytes)",
    "Validates",
    "Self-describing",
    "Reads in place",
    "Evolves (by specification)",
    "Malformed input",
)


class Measured(Struct, frozen=True, eq=False):
    """A scenario in a run, with its rows."""

    report: RunReport
    one: ScenarioReport
    rows: Sequence[Choice]

    def of(self, language: str) -> tuple[Choice, ...]:
        """The rows of a language, or all."""
        return tuple(row for row in self.rows if language in (ANY, row.language))


def chooser(lab: Lab) -> dict[str, Any]:
    """What the template and the script of the first page need; empty where nothing was measured to write and read."""
    measured = _measured(lab)
    if not measured:
        return {}
    languages = sorted({row.language for held in measured.values() for one in held for row in one.rows})
    views = {
        f"{name} {language}": view(lab, _most(held, language), language)
        for name, held in measured.items()
        for language in (ANY, *languages)
        if any(one.of(language) for one in held)
    }
    message = _default(measured)
    return {
        "languages": {one: _language(one) for one in (ANY, *languages)},
        "goals": [goal.value for goal in Goal],
        "messages": _messages(measured),
        "front": charts.FRONT,
        "default": {"language": ANY, "matters": Goal.SPEED.value, "message": message},
        "columns": COLUMNS,
        "chart": charts.pareto(),
        "views": views,
        "shown": _shown(views, f"{message} {ANY}", Goal.SPEED),
    }


def view(lab: Lab, measured: Measured, language: str) -> dict[str, Any]:
    """All answers about a scenario in a language, with the points of its chart; a codec's words are told once."""
    cells, rows = measured.one.cells, measured.of(language)
    missing = missing_of(cells, None if language == ANY else language)
    answers = {goal.value: answer(cells, rows, goal, missing) for goal in Goal}
    listed = {codec for one in answers.values() for codec in one.codecs}
    best = front(rows)
    runs = [report.run.id for report, _ in lab.scenarios[cells.scenario.name]]
    table = site_table(runs.index(measured.report.run.id))
    title = f"{shape_of(cells.scenario)} ({cells.scenario.title})"
    unbeaten = ", ".join(row.codec for row in rows if row.codec in best)
    return {
        "title": title,
        "page": f"{scenario_page(cells.scenario.name)}.html#{table}",
        "chart": f"{title}, {_language(language)}. {charts.PARETO} {charts.FRONT[0].capitalize()}: {unbeaten}.",
        "run": f"{machine(measured.report.run)}, {measured.report.run.created[:10]}, {measured.report.run.id}",
        "answers": {goal: {"said": one.said, "codecs": one.codecs} for goal, one in answers.items()},
        "codecs": {row.codec: codec_row(lab, cells, row, rows) for row in rows if row.codec in listed},
        "points": [_point(row, row.codec in best) for row in rows],
    }


def codec_row(lab: Lab, cells: ScenarioCells, row: Choice, rows: Sequence[Choice]) -> dict[str, Any]:
    """A codec of the short list: its words, and its cells without the first."""
    yes = {True: "yes", False: "no", None: NOTHING}
    evolves = row.specified.evolves.value if row.specified else "not stated"
    return {
        "format": row.format,
        "page": f"{lab.codecs[row.codec].page}.html",
        "words": words(cells, row, rows),
        "cells": (
            duration_ns(row.total_ns),
            count(row.size_bytes),
            yes[row.validates],
            yes[row.self_describing],
            NOTHING if row.in_place_ns is None else duration_ns(row.in_place_ns),
            evolves,
            malformed_words(row).removeprefix("malformed input: "),
        ),
        "specification": row.specified.specification if row.specified else None,
    }


def _measured(lab: Lab) -> dict[str, list[Measured]]:
    """Scenario → the runs that measured codecs to write and read in it; quick ones where there is no other."""
    malformed = {codec: malformed_share(own) for codec, own in lab.answers.malformed.items()}
    result: dict[str, list[Measured]] = {}
    for name, reports in lab.scenarios.items():
        held = [Measured(report, one, choices(one.cells, malformed)) for report, one in reports]
        held = [one for one in held if one.rows]
        real = [one for one in held if one.report.run.plan.profile.is_timed]
        if held:
            result[name] = real or held
    return result


def _most(held: Sequence[Measured], language: str) -> Measured:
    """Of the runs with nearly as many codecs of a language as any, one whose codecs met equal moments, if there is one.

    Several such: the first, which represents the scenario before the others.
    """
    most = max(len(one.of(language)) for one in held)
    wide = [one for one in held if len(one.of(language)) >= NEARLY_ALL * most]
    return min(wide, key=lambda one: calm_spread(one.one.cells) is not None)


def _messages(measured: Mapping[str, Sequence[Measured]]) -> dict[str, str]:
    """Scenario → its kind of message, title and size, by kind; points of a sweep by size, after their scenario."""
    order = list(MessageShape)

    def place(one: Scenario) -> tuple[int, str, bool, int]:
        return order.index(shape_of(one)), one.declared_by, one.point, one.data_size_bytes

    scenarios = sorted((held[0].one.scenario for held in measured.values()), key=place)
    return {one.name: f"{shape_of(one)}: {one.title}{_size(one)}" for one in scenarios}


def _size(scenario: Scenario) -> str:
    """The size of a message's value; where there are many, their mean. The title of a point has it."""
    if scenario.point:
        return ""
    each = size(scenario.data_size_bytes / (scenario.rows or 1))
    return f", {each} each" if scenario.is_rows else f", {each}"


def _default(measured: Mapping[str, Sequence[Measured]]) -> str:
    """The scenario shown first: of the first kind that was measured, that with most codecs."""
    shapes = {name: shape_of(held[0].one.scenario) for name, held in measured.items()}
    first = min(shapes.values(), key=list(MessageShape).index)
    return max(
        (name for name in measured if shapes[name] is first), key=lambda name: len(_most(measured[name], ANY).rows)
    )


def _shown(views: Mapping[str, Any], name: str, goal: Goal) -> dict[str, Any]:
    """The answer that the page has without scripts."""
    one = views[name]
    chosen = one["answers"][goal.value]
    return {
        **one,
        "said": chosen["said"],
        "codecs": [(codec, one["codecs"][codec]) for codec in chosen["codecs"]],
        "rows": points_of(one),
    }


def _point(row: Choice, best: bool) -> list[Any]:
    """A point of the chart, and its figures as a table shows them."""
    return [
        row.codec,
        row.format,
        round(row.size_bytes, 1),
        round(row.total_ns, 1),
        best,
        duration_ns(row.total_ns),
        count(row.size_bytes),
    ]


def points_of(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The points of a view as its chart reads them; only those of the front have a label."""
    return [
        {
            "codec": codec,
            "format": form,
            "size_bytes": size_bytes,
            "total_ns": ns,
            "kind": charts.FRONT[0 if best else 1],
            "label": codec if best else "",
        }
        for codec, form, size_bytes, ns, best, _, _ in one["points"]
    ]


def _language(language: str) -> str:
    return "any language" if language == ANY else language_name(language)
