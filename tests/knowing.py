"""A model on loopback that knows the answer to every question: it runs the gold query and stops.

It is told apart from a clever one by nothing but its prompts, so that whole strategies, their variants and what is
measured of them can be seen without one.
"""

from __future__ import annotations

from collections.abc import Mapping

from aiohttp import web
from multidict import CIMultiDict

from plugins.nl.model.probing import MARK
from tests.llm import Abilities, Fills, ModelServer, Says
from tests.llm_script import Answer, Asked

# By these words each prompt is known.
TYPES, PRUNES, JUDGES = (
    "Say what kind of answer it wants",
    "Say which of its properties",
    "Judge whether the query means",
)


class Knowing(ModelServer):
    """Serve what is known: gold queries by question."""

    def __init__(self, golds: Mapping[str, str]) -> None:
        super().__init__([], Abilities(), "knowing", "")
        self._golds = golds

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(request.path, CIMultiDict(request.headers), await request.json())
        if MARK in asked.text:
            self.probes.append(asked)
            return await self._sent(request, asked, self._probed(asked))
        self.requests.append(asked)
        return await self._sent(request, asked, self._said(asked.text))

    def _said(self, text: str) -> Answer:
        if TYPES in text:
            return Fills({"form": "list", "type_label": "", "type_id": ""})
        if PRUNES in text:
            return Fills({"keep": ""})
        if JUDGES in text:
            return Fills({"verdict": "done", "why": "", "sparql": ""})
        gold = next((gold for question, gold in self._golds.items() if question in text), "ASK {}")
        return Says("This answers it.", "stop") if gold in text else Says("I know.", "execute", gold)
