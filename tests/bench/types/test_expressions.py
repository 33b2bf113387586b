"""The notation of types: it reads back as it prints, and what is no type is said to be none."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.types.expressions import (
    SCALARS,
    ArrayOf,
    ListOf,
    MapOf,
    Named,
    OptionOf,
    Scalar,
    TupleOf,
    Type,
    named_in,
    parse_type,
)


def composed(inner: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    return st.one_of(
        inner.map(ListOf),
        st.builds(ArrayOf, inner, st.integers(1, 65_536)),
        inner.map(MapOf),
        inner.filter(lambda one: not isinstance(one, OptionOf)).map(OptionOf),
        st.lists(inner, min_size=2, max_size=3).map(lambda items: TupleOf(tuple(items))),
    )


TYPES = st.recursive(
    st.sampled_from([*map(Scalar, sorted(SCALARS)), Named("User"), Named("A1")]), composed, max_leaves=6
)


@given(TYPES)
def test_a_type_reads_back_as_it_prints(of):
    if depth(of) <= 16:
        assert parse_type(str(of)) == of


def depth(of: Type) -> int:
    items = (
        of.items
        if isinstance(of, TupleOf)
        else (of.value,)
        if isinstance(of, MapOf)
        else (of.item,)
        if hasattr(of, "item")
        else ()
    )
    return 1 + max(map(depth, items), default=0)


@given(st.text(alphabet='[](){}?;, u8Aé\n"', max_size=30))
def test_any_other_text_is_refused_without_a_crash(text):
    try:
        assert parse_type(str(parse_type(text))) == parse_type(text)
    except ValueError as error:
        assert "is not a type" in str(error)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "a type was expected where its end stands"),
        ("[u8", "`]` was expected where its end stands"),
        ("[u8}", "`]` was expected where `}` stands"),
        ("u8 u8", "nothing more was expected where `u8` stands"),
        ("u8??", "one `?` alone was expected where `?` stands"),
        ("[u8; 0]", "a length from 1 to 65,536 was expected where `0` stands"),
        ("[u8; 65537]", "a length from 1 to 65,536 was expected"),
        ("[u8; n]", "a length from 1 to 65,536 was expected where `n` stands"),
        ("[u8; 99999999999999999999999999999999]", "a length from 1 to 65,536"),
        ("(u8)", "a tuple has two types or more"),
        (f"({', '.join(['u8'] * 13)})", "a tuple has at most 12 types; use a struct"),
        ("u8!", "'!' has no meaning"),
        ("8", "a type was expected where `8` stands"),
        ("[" * 17 + "u8" + "]" * 17, "it is nested deeper than 16; name a struct within"),
        ("[" * 900, "it is nested deeper than 16"),
    ],
)
def test_what_is_no_type_says_what_was_expected(text, problem):
    with pytest.raises(ValueError, match="is not a type") as caught:
        parse_type(text)
    assert problem in str(caught.value)


def test_named_types_are_told_from_scalars_in_their_order():
    assert list(named_in(parse_type("([B; 2], {A?}, [[u8]], B)"))) == ["B", "A", "B"]
