"""The actions that the tests of the client offer."""

from __future__ import annotations

from plugins.nl.model.contract import Offer

OFFERS = (
    Offer(name="search", description="Find entities and properties by name.", argument="a name"),
    Offer(name="lookup", description="Look at one entity.", argument="the id of an entity"),
    Offer(name="execute", description="Run a SPARQL query.", argument="the query"),
    Offer(name="stop", description="End the search."),
)
