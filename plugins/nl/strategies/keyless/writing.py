"""Ideas in the words of SPARQL."""

from __future__ import annotations

from plugins.nl.strategies.keyless.ideas import Idea
from plugins.nl.tools import Knowledge

_DIRECT = {
    "out": ("{a} {p} ?x",),
    "in": ("?x {p} {a}",),
    "link": ("{a} {p} {b}",),
    "through": ("{a} {p} ?x", "?x {q} {b}"),
    "meet": ("?x {p} {a}", "?x {q} {b}"),
    "chain": ("{a} {p} ?middle", "?middle {q} ?x"),
    "chain in": ("?middle {p} {a}", "?middle {q} ?x"),
    "meet on": ("?middle {p} {a}", "?middle {q} {b}", "?middle {r} ?x"),
    "shared": ("{a} {p} ?x", "{b} {p} ?x"),
    "stated": ("{a} {p} ?statement", "?statement {q} ?x"),
    "role": ("{a} {p} ?statement", "?statement {q} {b}", "?statement {r} ?x"),
    "owner": ("?x {q} ?statement", "?statement {p} {a}"),
    "either": ("VALUES ?x {{ {a} {b} }}",),
}


def written(idea: Idea, knowledge: Knowledge) -> str:
    """Return the query of an idea."""
    joined = idea.statement and idea.way in ("in", "through", "meet")
    patterns = _statement(idea, knowledge) if joined else _direct(idea, knowledge)
    if idea.constraint is not None:
        patterns = (*patterns, f"?x {kinds_path(knowledge)} {knowledge.short(idea.constraint.iri)}")
    if idea.measure is not None and idea.measure.of in ("value", "values"):
        patterns = (*patterns, f"?x {knowledge.step(idea.measure.record)} ?value")
    body = " . ".join(patterns)
    match idea.ask:
        case "things" if idea.measure is not None and idea.measure.counts:
            return f"SELECT ?x WHERE {{ {body} }} GROUP BY ?x{_modifiers(idea)}"
        case "things":
            return f"SELECT DISTINCT ?x WHERE {{ {body}{_filter(idea)} }}{_modifiers(idea)}"
        case "count":
            return f"SELECT (COUNT(DISTINCT ?x) AS ?count) WHERE {{ {body}{_filter(idea)} }}"
        case "whether" if idea.way == "either" and idea.measure is not None:
            step, (one, other) = (
                knowledge.step(idea.measure.record),
                (knowledge.short(each.iri) for each in idea.anchors),
            )
            return f"ASK {{ {one} {step} ?value . {other} {step} ?other{_filter(idea)} }}"
        case "whether":
            return f"ASK {{ {body} }}"


def kinds_path(knowledge: Knowledge) -> str:
    """Return the path from a thing to its classes and all above them."""
    known = knowledge.vocabulary
    return knowledge.short(known.types[0]) + "".join(f"/{knowledge.short(each)}*" for each in known.superclasses[:1])


def _filter(idea: Idea) -> str:
    return f" {idea.measure.condition}" if idea.measure is not None and idea.measure.condition else ""


def _modifiers(idea: Idea) -> str:
    return f" {idea.measure.modifiers}" if idea.measure is not None and idea.measure.modifiers else ""


def _direct(idea: Idea, knowledge: Knowledge) -> tuple[str, ...]:
    named = _named(idea, knowledge)
    if idea.way in ("in", "chain in") and idea.edge.predicates[0] in knowledge.vocabulary.types:
        # What is of a class is what is of any class below it, too.
        named["p"] = kinds_path(knowledge)
    if (
        idea.way == "link"
        and idea.edge.predicates[0] in knowledge.vocabulary.types
        and knowledge.vocabulary.superclasses
    ):
        named["p"] = kinds_path(knowledge).replace("/", "?/", 1)
    patterns = tuple(pattern.format(**named) for pattern in _DIRECT[idea.way])
    return (f"{patterns[0]} FILTER NOT EXISTS {{ {patterns[1]} }}",) if idea.negated else patterns


def _statement(idea: Idea, knowledge: Knowledge) -> tuple[str, ...]:
    """Return the patterns of a statement and its qualifier."""
    base, named = knowledge.vocabulary.properties, _named(idea, knowledge)
    first, second = idea.uses[0].id, idea.uses[-1].id
    match idea.roles:
        case ("claim", _):
            value = knowledge.short(f"{base}statement/{first}")
            patterns = ("{a} {p} ?statement", "?statement {q} {b}", f"?statement {value} ?x")
        case _:
            claim = knowledge.short(f"{base}{first if idea.roles[0] == 'statement' else second}")
            patterns = (f"?x {claim} ?statement", "?statement {p} {a}", "?statement {q} {b}")
    return tuple(pattern.format(**named) for pattern in patterns)


def _named(idea: Idea, knowledge: Knowledge) -> dict[str, str]:
    short = knowledge.short
    edge = idea.edge
    return {
        "a": short(edge.anchors[0].iri),
        "b": short(edge.anchors[-1].iri),
        "p": short(edge.predicates[0]),
        "q": short(edge.predicates[:2][-1]),
        "r": short(edge.predicates[-1]),
    }
