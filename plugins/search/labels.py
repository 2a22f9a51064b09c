"""The last resort: asking the endpoint for things with exactly this label, in the spellings that people use."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

from plugins.schema.builders.answers import iris
from plugins.schema.facts import LOOKUP
from plugins.schema.shorthand import shorten
from plugins.search.hit import LANGUAGE, ClassName, Hit, Kind
from plugins.search.matching import Asked, asked, best, in_order, score
from plugins.search.patience import Patience
from plugins.search.profile import Profile
from plugins.search.records import Name, Record
from proxy.contract import Caller, Context, Query
from proxy.errors import UpstreamFailed
from proxy.results import Format, rows
from proxy.results.terms import Solution
from proxy.syntax import read

_MOST_CHARS = 250
_MOST_LANGUAGES = 8
_MOST_FOUND = 50
_MOST_ROWS = 2_000
_MOST_CLASSES = 5
# A longer answer is not one to a query with a limit.
_LARGEST_BYTES = 4 * 1024 * 1024
# So many searches of an endpoint ask at once: it has its own clients to answer.
_CONCURRENCY = 4
_HINTS = {LOOKUP: "search", "saga-guard": "off"}


class Labels:
    """Ask one endpoint, through the proxy's own chain: two small queries a search.

    Each pattern of theirs begins or ends at a constant. A VALUES for all of them would read better; Oxigraph 0.5 scans
    the whole store for it.
    """

    def __init__(self, context: Context, endpoint: str, profile: Profile, seconds: float) -> None:
        self._run = context.run
        self._endpoint = endpoint
        self._profile = profile
        self._reading = profile.reader()
        self._seconds = seconds
        self._patience = Patience("The endpoint, asked for labels,", seconds, _CONCURRENCY, context.clock)
        self._numbers = itertools.count(1)

    async def find(self, text: str, kind: Kind | None, language: str, limit: int) -> list[Hit]:
        """Return what has the text as its label or alias. Raises ProxyError."""
        languages = _languages(self._profile, language)
        async with self._patience.turn():
            found = await self._named(text, languages)
            if not found:
                return []
            records = await self._records(found, languages)
        wanted = asked(text)
        hits = (self._hit(record, wanted, languages, language) for record in records if kind in (None, record.kind))
        return in_order([hit for hit in hits if hit is not None])[:limit]

    def _hit(self, record: Record, wanted: Asked, languages: Sequence[str], language: str) -> Hit | None:
        fit = best(record, wanted, "label", languages, language)
        if fit is None:
            return None
        spaces = self._profile.namespaces
        return record.hit(
            "label",
            "labels",
            text=fit.name.name.text,
            language=fit.language,
            value=score("label", fit, record),
            languages=languages,
            namespaces=spaces,
            classes=tuple(ClassName(iri, shorten(iri, spaces), "") for iri in record.classes[:_MOST_CLASSES]),
        )

    async def _named(self, text: str, languages: Sequence[str]) -> list[str]:
        """Return the IRIs of what is called so."""
        literals = []
        for spelling in spellings(text[:_MOST_CHARS]):
            literals += [f"{_quoted(spelling)}@{language}" for language in languages] + [_quoted(spelling)]
        patterns = " UNION ".join(f"{{ ?s ?p {literal} }}" for literal in literals)
        predicates = _listed((*self._profile.labels, *self._profile.aliases))
        query = (
            f"SELECT DISTINCT ?s WHERE {{ {patterns} FILTER(isIRI(?s) && ?p IN ({predicates})) }} LIMIT {_MOST_FOUND}"
        )
        subjects = [row["s"] for row in await self._rows(query, "s")]
        # An endpoint may say anything: what cannot be written stays out of the next query.
        named = [each.value for each in subjects if each.kind == "iri" and iris([each.value])]
        return [iri for iri in named if self._reading.is_thing(iri)][:_MOST_FOUND]

    async def _records(self, found: Sequence[str], languages: Sequence[str]) -> list[Record]:
        """Return names, descriptions and classes of what was found."""
        own = self._profile
        predicates = _listed((*own.labels, *own.aliases, *own.descriptions, *own.types))
        tags = ", ".join(f'"{language}"' for language in (*languages, ""))
        shown = f"FILTER(?p IN ({predicates}) && (isIRI(?o) || LANG(?o) IN ({tags})))"
        patterns = " UNION ".join(f"{{ <{iri}> ?p ?o BIND(<{iri}> AS ?s) }}" for iri in found)
        query = f"SELECT ?s ?p ?o WHERE {{ {patterns} {shown} }} LIMIT {_MOST_ROWS}"
        by_iri: dict[str, list[Solution]] = {}
        for row in await self._rows(query, "spo"):
            by_iri.setdefault(row["s"].value, []).append(row)
        return [self._record(iri, by_iri[iri]) for iri in found if iri in by_iri]

    def _record(self, iri: str, told: Iterable[Solution]) -> Record:
        reading = self._reading
        names: list[Name] = []
        descriptions: dict[str, str] = {}
        classes: dict[str, None] = {}
        for row in told:
            predicate, value = row["p"].value, row["o"]
            if value.kind == "iri":
                classes[value.value] = None
            elif predicate in reading.descriptions:
                descriptions.setdefault(value.language.lower(), value.value)
            else:
                tag = (value.language.lower(),)
                names.append(Name(value.value, tag, ()) if predicate in reading.labels else Name(value.value, (), tag))
        names.sort(key=lambda name: (not name.labels, name.text))
        by_form = reading.is_property(iri)
        is_property = bool(reading.property_types & classes.keys()) if by_form is None else by_form
        return Record(
            iri=iri,
            kind="property" if is_property else "entity",
            names=tuple(names),
            descriptions=tuple(descriptions.items()),
            classes=tuple(sorted(classes)),
        )

    async def _rows(self, text: str, names: str) -> list[Solution]:
        """Return the rows that bind all these variables, each of one letter."""
        query = Query(
            id=f"search-{next(self._numbers)}",
            endpoint=self._endpoint,
            syntax=read(text),
            formats=(Format.JSON, Format.XML, Format.TSV),
            caller=Caller(address="127.0.0.1"),
            source="nl",
            timeout_s=self._seconds,
            hints=_HINTS,
        )
        async with await self._run(query) as reply:
            found = rows(_bounded(reply.chunks), reply.format or Format.JSON)
            return [row async for row in found if row.keys() >= set(names)]


async def _bounded(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield an answer. Raises UpstreamFailed for one without bounds."""
    left = _LARGEST_BYTES
    async for chunk in chunks:
        left -= len(chunk)
        if left < 0:
            raise UpstreamFailed("The endpoint answered a label query with more than was asked for.")
        yield chunk


def spellings(text: str) -> list[str]:
    """Return a text as it may be written in a label: as it is, with capitals, without."""
    text = " ".join(text.replace("\0", " ").encode("utf-8", "replace").decode().split())
    first = text[:1].upper() + text[1:]
    titled = " ".join(word[:1].upper() + word[1:] for word in text.split())
    return [each for each in dict.fromkeys((text, first, titled, text.lower())) if each]


def _languages(profile: Profile, language: str) -> tuple[str, ...]:
    listed = (language, *profile.languages) if LANGUAGE.fullmatch(language) else profile.languages
    return tuple(dict.fromkeys(listed))[:_MOST_LANGUAGES]


def _listed(found: Iterable[str]) -> str:
    return ", ".join(f"<{iri}>" for iri in found)


def _quoted(text: str) -> str:
    escapes: Mapping[str, str] = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(each, each) for each in text) + '"'
