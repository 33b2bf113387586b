"""The three documents of the crate facet-json-classics have types, and fit them."""

import json
import shutil

import pytest

from bench.datasets.dataset import fitted, inferred_types
from bench.datasets.reading.sources import open_source
from bench.types.notation import types_text
from tests.support.datasets.classics import write_documents

LINES = {
    "canada": ['coordinates = "[[[f64]]]"', 'features = "[Features]"'],
    "citm_catalog": ['areaNames = "{string}"', 'events = "{Events}"', 'performances = "[Performances]"'],
    "twitter": ['statuses = "[Statuses]"', 'retweeted_status = "RetweetedStatus?"', 'indices = "[u32]"'],
}


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    if not shutil.which("cargo"):
        pytest.skip("there is no cargo")
    return write_documents(tmp_path_factory.mktemp("classics"))


def without_null(value):
    """A value without what canonical JSON adds: null for keys that are missing."""
    if isinstance(value, dict):
        return {key: without_null(one) for key, one in value.items() if one is not None}
    return [without_null(one) for one in value] if isinstance(value, list) else value


@pytest.mark.slow
@pytest.mark.host
@pytest.mark.parametrize("name", LINES)
def test_a_classic_has_a_type_and_fits_it(documents, name):
    source = open_source(documents / f"{name}.json")
    typed = inferred_types(source, lambda _: None)
    text = types_text(typed.definitions)
    for line in LINES[name]:
        assert line in text, text
    data = fitted(source, typed, 1, lambda _: None)
    original = json.loads((documents / f"{name}.json").read_bytes())
    assert without_null(json.loads(data.text())) == without_null(original)
    data.close()
