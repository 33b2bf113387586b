"""The languages of runners, one per module; each knows its build tool and no codec."""

from bench.building.languages.cpp import Cpp
from bench.building.languages.language import Language
from bench.building.languages.python import Python
from bench.building.languages.rust import Rust

LANGUAGES: dict[str, Language] = {language.name: language for language in (Rust(), Python(), Cpp())}
