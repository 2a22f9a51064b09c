"""Names for IRIs: a label in the wanted language, else in English, else in any."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from plugins.nl.tools.asker import Asker
from plugins.nl.tools.knowledge import Knowledge
from plugins.schema.annotation import tidy
from plugins.schema.body import askable
from proxy.errors import ProxyError
from proxy.results.terms import Term

# So many constants stand in one query: each in a branch of its own, since a join on VALUES is a scan on some engines.
_BATCH = 40
_MOST = 400
_SECONDS = 5.0


class Labels:
    """Ask for labels once each. A label that nobody knows is the short name of its IRI."""

    def __init__(self, asker: Asker, knowledge: Knowledge, language: str) -> None:
        self._asker = asker
        self._knowledge = knowledge
        self._languages = tuple(dict.fromkeys(filter(None, (language, "en", "mul"))))
        self._known: dict[str, str] = {}

    async def learn(self, iris: Iterable[str]) -> None:
        """Look up those that are not known yet; at most 400, the rest keeps its short names."""
        wanted = [iri for iri in dict.fromkeys(iris) if iri not in self._known and askable(iri)][:_MOST]
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            self._known.update(dict.fromkeys(batch, ""))
            try:
                table = await self._asker.table(self._text(batch), seconds=_SECONDS, most_rows=10_000)
            except ProxyError:
                # Names are a courtesy: without them the answer is still right.
                return
            self._keep(batch, table.rows)

    def of(self, iri: str) -> str:
        """Return the label, or the short name where there is none."""
        return self._known.get(iri) or self._knowledge.short(iri)

    def named(self, iri: str) -> str:
        """Return `Barack Obama (wd:Q76)`."""
        label = self._known.get(iri)
        return f"{label} ({self._knowledge.short(iri)})" if label else self._knowledge.short(iri)

    def mapping(self, iris: Iterable[str]) -> Mapping[str, str]:
        """Return the labels that are known."""
        return {iri: self._known[iri] for iri in iris if self._known.get(iri)}

    def _text(self, batch: Sequence[str]) -> str:
        properties = self._knowledge.vocabulary.labels
        path = "|".join(f"<{iri}>" for iri in properties)
        languages = ", ".join(f'"{each}"' for each in (*self._languages, ""))
        branches = (
            f"{{ <{iri}> {path} ?l FILTER(LANG(?l) IN ({languages})) BIND({number} AS ?n) }}"
            for number, iri in enumerate(batch)
        )
        return f"SELECT ?n ?l {{ {' UNION '.join(branches)} }}"

    def _keep(self, batch: Sequence[str], rows: Iterable[Sequence[Term | None]]) -> None:
        best: dict[str, int] = {}
        for number, label in rows:
            if number is None or label is None:
                continue
            iri = batch[int(number.value)]
            known = label.language in self._languages
            place = self._languages.index(label.language) if known else len(self._languages)
            if place < best.get(iri, len(self._languages) + 1):
                best[iri] = place
                self._known[iri] = tidy(label.value)
