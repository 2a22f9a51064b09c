"""How much of an answer may pile up here before we give up on it."""

from __future__ import annotations

# A row (a solution, a line, a statement, a JSON-LD node) longer than this is refused: until it ends it must be held.
# Units: bytes. The longest literals of Wikidata and Freebase are below 1 MB; geometries of OpenStreetMap reach 10 MB.
MAX_ROW_BYTES = 16 * 1024 * 1024

# Nesting of JSON values, XML elements, triple terms, Turtle brackets. Real answers stay below 20.
MAX_DEPTH = 64

# Columns of one answer. A table wider than this is a mistake or an attack.
MAX_COLUMNS = 4096

# Namespace declarations or prefixes of one graph; rdflib writes one per vocabulary, never thousands.
MAX_PREFIXES = 4096

# Attributes of one XML element.
MAX_ATTRIBUTES = 256

# One XML tag, comment or instruction: expat reads it again from its start with every chunk until it is whole.
# Units: bytes.
MAX_TAG_BYTES = 256 * 1024
