"""What stands around an entity: types, properties out and in, ranked by the question and folded.

Source: specs/guard.md section 2 (nothing is hidden); SAGA, "Type-Constrained Grounding", for the mode `strict`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from plugins.nl.contract import Filter, Shape, Switches
from plugins.nl.tools.asker import Asker
from plugins.nl.tools.knowledge import Knowledge
from plugins.nl.tools.labels import Labels
from plugins.schema.fit import Answer, Entity, fit, strict
from plugins.schema.model import Property
from plugins.schema.order import Answer as AnswerKind
from plugins.schema.order import Edge, Ordered, order
from plugins.search import Hit
from proxy.results.terms import Term

Direction = Literal["out", "in", "both"]
_SECONDS = 5.0
_MOST_EDGES = 5_000
# Incoming edges are counted on so many: some entities have millions.
_MOST_INCOMING = 20_000
_SAMPLES = 3
_NOTHING = Ordered(shown=(), folded=())
# So large a part of misfits, or so few that are left, and it may be the wrong entity.
# Source: specs/strategies.md section 1, "Suspicion banner".
_SUSPICIOUS_SHARE, _SUSPICIOUS_LEFT = 0.4, 2
# Pages of Wikipedia that are no things: disambiguation, category, template, list.
_PAGES = ("Q4167410", "Q4167836", "Q11266439", "Q13406463")
_NO_THINGS = frozenset(f"http://www.wikidata.org/entity/{each}" for each in _PAGES)
_KINDS: Mapping[str, frozenset[AnswerKind]] = {
    "date": frozenset({"time"}),
    "year": frozenset({"time"}),
    "number": frozenset({"quantity"}),
    "count": frozenset({"quantity"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A property of the entity. ``values`` are some of ``count``; ``qualifiers`` are ids that its statements have."""

    property: Property
    direction: Literal["out", "in"] = "out"
    values: tuple[Term, ...] = ()
    count: int = 0
    qualifiers: tuple[str, ...] = ()
    statements: int = 0
    conflicts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbourhood:
    """An entity and what is around it.

    Shapes: ``types`` are IRIs, ``superclasses`` those above it where it is a class; ``out`` and ``into`` hold lines by
    property, in the order of ``ordered`` and ``ordered_in``; ``removed`` is what the mode took away, 0 but for `strict`
    and `closure`; ``suspicion`` says why it may be the wrong entity, empty where nothing speaks for that;
    ``others`` are what the same search found beside it.
    """

    iri: str
    types: tuple[str, ...] = ()
    superclasses: tuple[str, ...] = ()
    description: str = ""
    out: Mapping[str, Line] = field(default_factory=dict)
    into: Mapping[str, Line] = field(default_factory=dict)
    ordered: Ordered = _NOTHING
    ordered_in: Ordered = _NOTHING
    removed: int = 0
    suspicion: str = ""
    others: tuple[Hit, ...] = ()

    @property
    def is_class(self) -> bool:
        """Whether it is above other things rather than one of them."""
        return bool(self.superclasses) and not self.types

    @property
    def edges(self) -> Mapping[str, int]:
        """How many properties were seen, shown, folded, demoted and removed. Source: design.md section 4."""
        shown = len(self.ordered.shown) + len(self.ordered_in.shown)
        folded = sum(len(each.folded) + len(each.ids) for each in (self.ordered, self.ordered_in))
        demoted = sum(line.conflicts for line in (*self.out.values(), *self.into.values()))
        seen = shown + folded + self.removed
        return {"seen": seen, "shown": shown, "folded": folded, "demoted": demoted, "removed": self.removed}


class Lookup:
    """Read the neighbourhood of entities of one graph."""

    def __init__(
        self, asker: Asker, knowledge: Knowledge, labels: Labels, question: str, shape: Shape, switches: Switches
    ) -> None:
        self._asker = asker
        self._knowledge = knowledge
        self._labels = labels
        self._question = question
        self._kinds = _KINDS.get(shape.form, frozenset()) if switches.answer_prior else frozenset()
        self._hierarchy = switches.hierarchy

    async def read(self, iri: str, direction: Direction = "both", mode: Filter = "demote") -> Neighbourhood:
        """Return what is around an entity. Raises OutOfBudget, ProxyError."""
        types, superclasses, description = await self._about(iri)
        entity = Entity(iri=iri, classes=(*types, *superclasses))
        out = await self._out(iri, entity) if direction != "in" else {}
        into = await self._into(iri, entity) if direction != "out" else {}
        if mode == "off":
            into = _unjudged(into)
        kept = self._filtered(out, entity, mode)
        await self._name(iri, (*types, *superclasses), (*kept.values(), *into.values()))
        found = Neighbourhood(
            iri=iri,
            types=types,
            superclasses=superclasses,
            description=description,
            out=kept,
            into=into,
            ordered=self._ordered(kept, iri, entity),
            ordered_in=self._ordered(into, iri, entity),
            removed=len(out) - len(kept),
            suspicion=_suspicion(types, out.values()) if types or not superclasses else "",
        )
        return found

    async def _about(self, iri: str) -> tuple[tuple[str, ...], tuple[str, ...], str]:
        known = self._knowledge.vocabulary
        wanted = ", ".join(f"<{each}>" for each in (*known.types, *known.superclasses))
        described = "http://schema.org/description"
        table = await self._asker.table(
            f"SELECT ?p ?c {{ {{ <{iri}> ?p ?c FILTER(?p IN ({wanted})) }}"
            f' UNION {{ <{iri}> ?p ?c FILTER(?p = <{described}> && LANG(?c) = "en") }} }}',
            seconds=_SECONDS,
        )
        types: dict[str, None] = {}
        superclasses: dict[str, None] = {}
        description = ""
        for used, value in table.rows:
            if used is None or value is None:
                continue
            if used.value == described:
                description = value.value
            elif value.kind == "iri":
                (types if used.value in known.types else superclasses)[value.value] = None
        return tuple(types), tuple(superclasses), description

    async def _out(self, iri: str, entity: Entity) -> dict[str, Line]:
        table = await self._asker.table(f"SELECT ?p ?v {{ <{iri}> ?p ?v }}", seconds=_SECONDS, most_rows=_MOST_EDGES)
        values: dict[str, list[Term]] = {}
        for used, value in table.rows:
            if used is not None and value is not None:
                values.setdefault(used.value, []).append(value)
        statements, qualifiers = await self._statements(iri)
        # What stands on it is no evidence that its class may have it.
        entity = replace(entity, present=frozenset(values))
        lines = {}
        for used_iri, found in values.items():
            record = self._knowledge.property(used_iri)
            if record is not None:
                lines[record.id] = Line(
                    property=record,
                    values=tuple(found[:_SAMPLES]),
                    count=len(found),
                    statements=statements[record.id],
                    qualifiers=tuple(dict.fromkeys(qualifiers.get(record.id, ()))),
                    conflicts=self._conflicts(record, entity, "out", used_iri),
                )
        return lines

    async def _statements(self, iri: str) -> tuple[Counter[str], Mapping[str, list[str]]]:
        """Return how many statements each property has, of any rank, and which qualifiers stand on them."""
        base = self._knowledge.vocabulary.properties
        if not self._knowledge.direct:
            return Counter(), {}
        table = await self._asker.table(
            f"SELECT ?p ?q (COUNT(DISTINCT ?s) AS ?n) {{ <{iri}> ?p ?s . ?s ?q ?x . "
            f'FILTER(STRSTARTS(STR(?p), "{base}P")) '
            f'FILTER(STRSTARTS(STR(?q), "{base}qualifier/P") || STRSTARTS(STR(?q), "{base}statement/P")) }} '
            "GROUP BY ?p ?q",
            seconds=_SECONDS,
        )
        counts: Counter[str] = Counter()
        qualifiers: dict[str, list[str]] = {}
        for used, of_statement, number in table.rows:
            if used is None or of_statement is None or number is None:
                continue
            owner = used.value.removeprefix(base)
            if of_statement.value.startswith(f"{base}qualifier/"):
                qualifiers.setdefault(owner, []).append(of_statement.value.removeprefix(f"{base}qualifier/"))
            else:
                counts[owner] += int(number.value)
        return counts, qualifiers

    async def _into(self, iri: str, entity: Entity) -> dict[str, Line]:
        table = await self._asker.table(
            f"SELECT ?p (COUNT(*) AS ?n) (SAMPLE(?s) AS ?x) {{ "
            f"{{ SELECT ?p ?s {{ ?s ?p <{iri}> }} LIMIT {_MOST_INCOMING} }} }} GROUP BY ?p",
            seconds=_SECONDS,
        )
        lines = {}
        for used, number, sample in table.rows:
            record = self._knowledge.property(used.value) if used is not None else None
            if record is not None and number is not None and sample is not None:
                lines[record.id] = Line(
                    property=record,
                    direction="in",
                    values=(sample,),
                    count=int(number.value),
                    conflicts=self._conflicts(record, entity, "in"),
                )
        return lines

    def _conflicts(self, record: Property, entity: Entity, direction: Literal["out", "in"], used: str = "") -> bool:
        index = self._knowledge.schema
        side = record.domain if direction == "out" else record.range
        if not self._hierarchy:
            return not strict(side, entity.classes)
        return index is not None and fit(index, record, side, entity, used=used) is Answer.CONFLICTS

    def _filtered(self, lines: Mapping[str, Line], entity: Entity, mode: Filter) -> dict[str, Line]:
        """Return the lines that the mode keeps: for comparison with the papers two modes remove, the others never."""
        match mode:
            case "strict":
                return {key: each for key, each in lines.items() if strict(each.property.domain, entity.classes)}
            case "closure":
                return {key: each for key, each in lines.items() if not each.conflicts}
            case "demote":
                return dict(lines)
            case "off":
                return _unjudged(lines)

    def _ordered(self, lines: Mapping[str, Line], iri: str, entity: Entity) -> Ordered:
        learned = self._knowledge.learned
        weights = learned.rank(self._question) if learned else {}
        edges = (
            Edge(
                property=line.property,
                values=tuple(self._labels.of(value.value) for value in line.values if value.kind == "iri"),
                share=self._share(entity, line.property),
                conflicts=line.conflicts,
                learned=weights.get(line.property.iri, 0.0),
            )
            for line in lines.values()
        )
        return order(edges, self._question, self._knowledge.lexicon, entity=self._labels.of(iri), answers=self._kinds)

    def _share(self, entity: Entity, record: Property) -> float:
        index = self._knowledge.schema
        counts = (index.evidence(each, record.id) for each in entity.classes) if index else ()
        return max((having / instances for having, instances in filter(None, counts)), default=0.0)

    async def _name(self, iri: str, classes: Sequence[str], lines: Iterable[Line]) -> None:
        values = [value.value for line in lines for value in line.values if value.kind == "iri"]
        await self._labels.learn((iri, *classes, *values))


def _unjudged(lines: Mapping[str, Line]) -> dict[str, Line]:
    return {key: replace(each, conflicts=False) for key, each in lines.items()}


def _suspicion(types: Iterable[str], lines: Iterable[Line]) -> str:
    """Return what speaks against a thing: that it is none, or that little of what it has fits its type."""
    if not _NO_THINGS.isdisjoint(types):
        return "it is a page about names, a category, a template or a list, not a thing"
    plain = [each for each in lines if each.property.kind != "external-id"]
    misfits = sum(each.conflicts for each in plain)
    if plain and misfits >= _SUSPICIOUS_SHARE * len(plain):
        return f"{misfits} of its {len(plain)} properties do not fit its type"
    left = len(plain) - misfits
    if left <= _SUSPICIOUS_LEFT:
        return f"it has only {left} propert{'y' if left == 1 else 'ies'} that could fit its type"
    return ""
