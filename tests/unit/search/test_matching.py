"""Distances of words against their definition, and the order of hits."""

from __future__ import annotations

from functools import lru_cache

from hypothesis import given
from hypothesis import strategies as st

from plugins.search.hit import Kind
from plugins.search.matching import asked, best, ceiling, distance, forgiven, respaced, score
from plugins.search.records import Name, Record, decoded


def slow(one: str, other: str) -> int:
    """Return the distance by its definition: letters left out, added, changed, or two neighbours swapped."""

    @lru_cache(None)
    def cost(left: int, right: int) -> int:
        if not left or not right:
            return left + right
        found = min(
            cost(left - 1, right) + 1,
            cost(left, right - 1) + 1,
            cost(left - 1, right - 1) + (one[left - 1] != other[right - 1]),
        )
        if left > 1 and right > 1 and one[left - 1] == other[right - 2] and one[left - 2] == other[right - 1]:
            found = min(found, cost(left - 2, right - 2) + 1)
        return found

    return cost(len(one), len(other))


@given(st.text("abc", max_size=9), st.text("abc", max_size=9), st.integers(0, 3))
def test_the_distance_is_that_of_its_definition(one: str, other: str, most: int) -> None:
    assert distance(one, other, most) == min(slow(one, other), most + 1)


def test_short_words_forgive_nothing_long_ones_two_typos() -> None:
    assert [forgiven(word) for word in ("usa", "bern", "germany", "einstein", "柏林", "美国人")] == [0, 1, 1, 2, 0, 1]


def record(popularity: int, *names: Name) -> Record:
    return Record(iri="urn:x", kind="entity", names=names, popularity=popularity)


def test_how_it_matched_comes_before_everything_else() -> None:
    wanted = asked("berlin")
    exact = record(0, Name("Berlin", (), ("tlh",)))
    begun = record(10**9, Name("Berlin Wall", ("en",), ()))
    near = record(10**9, Name("Berlim", ("en",), ()))
    scores = []
    for each, match in ((exact, "exact"), (begun, "prefix"), (near, "fuzzy")):
        fit = best(each, wanted, match, ("en",), "en")  # type: ignore[arg-type]  # a literal of the loop
        assert fit is not None
        scores.append(score(match, fit, each))  # type: ignore[arg-type]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= each < 1 for each in scores)


def test_an_alias_of_something_famous_beats_the_label_of_something_obscure() -> None:
    country, film = record(500, Name("US", (), ("en",))), record(20, Name("US", ("en",), ()))
    town = record(400, Name("US", ("en",), ()))
    scores = []
    for each in (town, country, film):
        fit = best(each, asked("us"), "exact", ("en",), "")
        assert fit is not None
        scores.append(score("exact", fit, each))
    assert scores == sorted(scores, reverse=True)


@given(st.lists(st.text(max_size=20), max_size=4), st.integers(0, 10**12))
def test_a_record_is_read_as_it_was_written(texts: list[str], popularity: int) -> None:
    names = tuple(Name(text.encode("utf-8", "replace").decode(), ("en", ""), ()) for text in texts)
    made = Record(iri="urn:x", kind="property", names=names, popularity=popularity, descriptions=(("en", "x"),))
    assert decoded(made.encoded()) == made


def test_a_text_is_spaced_in_another_way() -> None:
    assert set(respaced("ab c")) == {"a b c", "abc", "a bc", "abc "}
    assert {"albert einstein", "alberteinstei n"} <= set(respaced("alberteinstein"))
    assert list(respaced("a")) == list(respaced("")) == []


_TEXTS = st.sampled_from(["Berlin", "berlin", "Berlin Wall", "Berliner"])
_TAGS = st.sampled_from(["en", "de", "mul", "tlh", ""])
_KINDS = st.sampled_from(["entity", "property"])


@given(
    st.lists(st.tuples(_TEXTS, _TAGS, st.booleans()), min_size=1, max_size=4),
    st.integers(0, 10**9),
    st.integers(0, 10**3),
    st.sampled_from(["", "de"]),
    _KINDS,
    st.booleans(),
)
def test_no_record_that_is_less_popular_scores_above_the_ceiling(
    names: list[tuple[str, str, bool]], popularity: int, less: int, language: str, kind: Kind, told: bool
) -> None:
    each = Record(
        iri="urn:x", kind=kind, popularity=max(0, popularity - less),
        names=tuple(Name(text, (tag,), ()) if is_label else Name(text, (), (tag,)) for text, tag, is_label in names),
    )  # fmt: skip
    wanted = asked("Berlin")
    for match, closest in (("exact", 3), ("prefix", 1)):
        fit = best(each, wanted, match, ("en",), language)  # type: ignore[arg-type]  # a literal of the loop
        if fit is not None:
            highest = ceiling(match, closest, kind if told else None, language, popularity)  # type: ignore[arg-type]
            assert score(match, fit, each) <= highest  # type: ignore[arg-type]


def test_a_text_of_every_language_is_worth_what_one_of_a_known_language_is_where_none_is_asked_for() -> None:
    capital, hamlet = record(300, Name("Berlin", ("en",), ())), record(2, Name("Berlin", ("mul",), ()))
    for language, first in (("", capital), ("de", hamlet)):
        scores = {}
        for each in (capital, hamlet):
            fit = best(each, asked("Berlin"), "exact", ("en",), language)
            assert fit is not None
            scores[each.popularity] = score("exact", fit, each)
        assert max(scores, key=lambda popularity: scores[popularity]) == first.popularity
