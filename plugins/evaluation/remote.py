"""Ask the questions of a run of a proxy that runs, over its /nl."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import aclosing
from typing import Any

from plugins.evaluation.answering import Done, done
from plugins.nl.answer import Answer, Warned
from plugins.nl.contract import Question, Shape, Table
from plugins.nl.remote import remote_events
from proxy.errors import UpstreamFailed
from proxy.results.json_terms import term


class Remote:
    """A proxy that runs. What it refuses ends the run; where it is gone, the question is told to be so."""

    def __init__(self, server: str, clock: Callable[[], float], seconds: float | None = None) -> None:
        self._server = server
        self._clock = clock
        self._more = {} if seconds is None else {"seconds": seconds}

    async def ask(self, text: str, language: str, strategy: str, name: str) -> Done:
        """Ask a question. Raises UsageError where the proxy refuses it."""
        fields = {"question": text, "language": language, "strategy": strategy, **self._more}
        began = self._clock()
        found: list[Mapping[str, Any]] = []
        try:
            async with aclosing(remote_events(self._server, None, fields)) as events:
                async for event in events:
                    found.append(event)
        except UpstreamFailed as error:
            return Done(answer=None, seconds=self._clock() - began, problem=error.detail, gone=True, events=found)
        return done(_answer(found[-1], text, language), self._clock() - began, found)


def _answer(document: Mapping[str, Any], text: str, language: str) -> Answer:
    return Answer(
        id=str(document.get("id", "")),
        conversation=str(document.get("conversation", "")),
        question=Question(text=text, endpoint=str(document.get("endpoint", "")), language=language),
        strategy=str(document.get("strategy", "")),
        status=document["status"],
        shape=Shape(form=(document.get("shape") or {}).get("form", "entity")),
        sparql=document.get("sparql") or "",
        table=_table(document.get("results"), complete=bool(document.get("complete"))),
        usage=document.get("usage") or {},
        confidence=document.get("confidence"),
        warnings=tuple(Warned(code=each["code"], message=each["message"]) for each in document.get("warnings", ())),
    )


def _table(results: Mapping[str, Any] | None, *, complete: bool) -> Table | None:
    if not results:
        return None
    if "boolean" in results:
        return Table(boolean=bool(results["boolean"]), complete=complete)
    names = tuple(results["head"].get("vars", ()))
    rows = tuple(
        tuple(term(binding[name]) if name in binding else None for name in names)
        for binding in results["results"]["bindings"]
    )
    return Table(variables=names, rows=rows, total=len(rows), complete=complete)
