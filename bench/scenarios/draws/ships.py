"""What a player of a naval game is told of the ships around: the fields of an update depend on each other.

A hidden ship has neither type nor player, weapons nor turrets; only one that can dive is ever under water; the more
players, the larger the world. rust_serialization_benchmark draws one of its data sets like this.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from bench.scenarios.draws.rand import Rand, decimal, single

SEEN = 0.7
UNHURT = 0.6
DIVES = 0.9
AIMED = 0.75
"""The share of turrets that point about where the ship's others do."""
LARGE = 0.02
"""The share of changes of the terrain that are a whole chunk."""
AREA_OF_A_PLAYER = 15_000
CHUNK = 1600
"""Its edge, in the unit of the world's radius."""


def updates(rand: Rand, given: Mapping[str, Any]) -> Callable[[], dict[str, Any]]:
    """A function that draws updates. `given` has `ships`: name → weight, turrets, weapons, and whether it `dives`."""
    fleet = _Fleet(rand, given["ships"])
    return lambda: _update(rand, fleet)


def _update(rand: Rand, fleet: "_Fleet") -> dict[str, Any]:
    players = rand.within("i32", 200, 400)
    radius = single(single(math.sqrt(players * AREA_OF_A_PLAYER)) + rand.between("f32", -50.0, 50.0))
    contacts = [fleet.contact(players) for _ in range(rand.within("i32", 20, 40))]
    square = single(float(rand.any("f32")) ** 2)
    score = int(single(single(square * square) * 5000)) + rand.within("u32", 0, 50)
    terrain = [_terrain(rand, math.ceil(radius / CHUNK)) for _ in range(rand.within("i32", 3, 10))]
    return {"contacts": contacts, "score": score, "world_radius": decimal(radius), "terrain_updates": terrain}


def _terrain(rand: Rand, chunks: int) -> dict[str, Any]:
    length = (900, 1100) if rand.chance(LARGE) else (3, 9)
    chunk = [rand.within("i8", -chunks, chunks) for _ in "xy"]
    return {"chunk_id": chunk, "data": [rand.any("u8") for _ in range(rand.within("u64", *length))]}


class _Fleet:
    """Draws ships by their weights."""

    def __init__(self, rand: Rand, ships: Mapping[str, Mapping[str, Any]]) -> None:
        self._rand, self._ships = rand, list(ships.items())
        self._weights = [ship["weight"] for ship in ships.values()]

    def contact(self, players: int) -> dict[str, Any]:
        """A ship as a player sees it, or only that there is one."""
        rand = self._rand
        kind, ship = self._ships[rand.weighted(self._weights)]
        seen = rand.chance(SEEN)
        return {
            "damage": 0 if seen and rand.chance(UNHURT) else rand.within("u8", 0, 200),
            "entity_id": rand.within("u32", 0, 20 * players),
            "entity_type": kind if seen else None,
            "guidance": {"angle": rand.any("u16"), "submerge": self._dives(ship), "velocity": self._velocity()},
            "player_id": rand.within("u16", 0, players) if seen else None,
            "reloads": self._reloads(ship["weapons"]) if seen else [],
            "transform": {
                "altitude": rand.within("i8", -120, -35) if self._dives(ship) else 0,
                "angle": rand.any("u16"),
                "position": [decimal(rand.between("f32", -750.0, 750.0)) for _ in "xy"],
                "velocity": self._velocity(),
            },
            "turret_angles": self._turrets(ship["turrets"]) if seen else [],
        }

    def _dives(self, ship: Mapping[str, Any]) -> bool:
        return ship.get("dives", False) and self._rand.chance(DIVES)

    def _velocity(self) -> int:
        """Most go ahead, one in ten lies still, one in ten goes astern."""
        case = self._rand.within("i32", 0, 100)
        if case < 80:
            return self._rand.within("i16", 140, 900)
        return 0 if case < 90 else self._rand.within("i16", -225, -35)

    def _reloads(self, weapons: int) -> list[bool]:
        share = self._rand.between("f64", 0.0, 1.0)
        return [self._rand.chance(share) for _ in range(weapons)]

    def _turrets(self, turrets: int) -> list[int]:
        ahead = int(self._rand.any("u16"))
        return [self._turret(ahead) for _ in range(turrets)]

    def _turret(self, ahead: int) -> int:
        if self._rand.chance(AIMED):
            return (ahead + self._rand.within("i16", -200, 200)) & 0xFFFF
        return int(self._rand.any("u16"))
