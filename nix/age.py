"""Says how old the nixpkgs in flake.lock is, and when its branch ends: `python nix/age.py`.

Exits with 1 if the pin is old or its branch ends soon, after a line about what to do; with 0 otherwise. It needs no
package and no network.
"""

import calendar
import json
import re
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

LOCK = Path(__file__).resolve().parents[1] / "flake.lock"
OLD = timedelta(days=90)
"""A stable branch gets security fixes every week; compilers and tools of the lab change seldom."""
NOTICE = timedelta(days=45)
"""How long before a branch ends the next one is due: the next branch is a month old by then."""


def branch_end(branch: str) -> date | None:
    """The last day of support of nixos-YY.MM: the end of the month seven months later; None for other branches.

    nixpkgs supports a release for seven months, until one month after the next one.
    """
    if not (parts := re.fullmatch(r"nixos-(\d\d)\.(\d\d)", branch)):
        return None
    months = int(parts[2]) - 1 + 7
    year, month = 2000 + int(parts[1]) + months // 12, months % 12 + 1
    return date(year, month, calendar.monthrange(year, month)[1])


def judged(branch: str, pinned: date, today: date) -> tuple[str, str | None]:
    """The state of a pin in a sentence, and what to do if something is due."""
    end = branch_end(branch)
    days = (today - pinned).days
    support = f"supported until {end}" if end else "without an announced end"
    state = f"nixpkgs {branch} of {pinned}, {days} days old; the branch is {support}"
    if end and today > end - NOTICE:
        verb = "has ended" if today > end else "ends soon"
        return state, f"{branch} {verb}: name the next branch in flake.nix, then run `nix flake update`"
    if today - pinned > OLD:
        return state, f"the pin is older than {OLD.days} days: run `nix flake update`"
    return state, None


def main() -> int:
    """Prints the judgement of flake.lock."""
    node = json.loads(LOCK.read_text(encoding="utf-8"))["nodes"]["nixpkgs"]
    pinned = datetime.fromtimestamp(node["locked"]["lastModified"], UTC).date()
    state, due = judged(node["original"]["ref"], pinned, datetime.now(UTC).date())
    print(state)
    if due:
        print(due)
    return 1 if due else 0


if __name__ == "__main__":
    sys.exit(main())
