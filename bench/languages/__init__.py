"""One module a language that runners are written in; each knows its build tool and no codec."""

from bench.languages.base import Language
from bench.languages.cpp import Cpp
from bench.languages.python import Python
from bench.languages.rust import Rust

LANGUAGES: dict[str, Language] = {language.name: language for language in (Rust(), Python(), Cpp())}
