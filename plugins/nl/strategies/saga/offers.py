"""The five actions that the model may choose. Source: SAGA, "Interactive Query Construction"."""

from __future__ import annotations

from plugins.nl.contract import Work
from plugins.nl.model.contract import Offer

_STOP = {
    "default": "End the search: the best query that you have run is the answer. Run it before.",
    "paper": "End the search: the query that you ran last is the answer.",
}
_IDS = {"wikidata": ("wd:Q64", "P19"), "freebase": ("m.0156q", "people.person.gender")}


def offers(work: Work) -> tuple[Offer, ...]:
    """Return what may be chosen, in words that fit the graph."""
    thing, step = _IDS.get(work.tools.knowledge.graph, ("as an observation shows it",) * 2)
    return (
        Offer(
            name="search",
            description="Find entities and properties by name, with their ids; of properties also domain and range.",
            argument="a name, such as Angela Merkel",
        ),
        Offer(
            name="lookup",
            description="Look at one entity: its types, its properties, and what these are declared for.",
            argument=f"the id of an entity, {_such(thing)}",
        ),
        Offer(
            name="examples",
            description="See some facts with a property, to learn its direction and its values.",
            argument=f"the id of a property, {_such(step)}",
        ),
        Offer(
            name="execute",
            description="Run a SPARQL query, SELECT or ASK, whole or in part, and see the first rows.",
            argument="the query",
        ),
        Offer(name="stop", description=_STOP[work.switches.mode]),
    )


def _such(example: str) -> str:
    return example if example.startswith("as ") else f"such as {example}"
