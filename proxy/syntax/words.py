"""The closed word lists of SPARQL and of the dialects that endpoints speak."""

from __future__ import annotations

QUERY_FORMS = {"SELECT": "select", "ASK": "ask", "CONSTRUCT": "construct", "DESCRIBE": "describe"}
UPDATE_FORMS = frozenset(
    # MODIFY is Virtuoso's word for DELETE/INSERT.
    ("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "MODIFY")
)
# Jena's JSON and Stardog's PATHS queries: an endpoint may run them, we only name them.
OTHER_FORMS = frozenset(("JSON", "PATHS"))

# Name -> least and greatest number of arguments. Source: SPARQL 1.1 and 1.2, BuiltInCall.
BUILTINS: dict[str, tuple[int, int]] = {
    **dict.fromkeys(("NOW", "RAND", "UUID", "STRUUID"), (0, 0)),
    **dict.fromkeys(
        (
            *("STR", "LANG", "DATATYPE", "BOUND", "IRI", "URI", "ABS", "CEIL", "FLOOR", "ROUND", "STRLEN", "UCASE"),
            *("LCASE", "ENCODE_FOR_URI", "YEAR", "MONTH", "DAY", "HOURS", "MINUTES", "SECONDS", "TIMEZONE", "TZ"),
            *("MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "ISIRI", "ISURI", "ISBLANK", "ISLITERAL"),
            *("ISNUMERIC", "LANGDIR", "HASLANG", "HASLANGDIR", "ISTRIPLE", "SUBJECT", "PREDICATE", "OBJECT"),
        ),
        (1, 1),
    ),
    **dict.fromkeys(
        ("LANGMATCHES", "CONTAINS", "STRSTARTS", "STRENDS", "STRBEFORE", "STRAFTER", "STRLANG", "STRDT", "SAMETERM"),
        (2, 2),
    ),
    **dict.fromkeys(("IF", "TRIPLE", "STRLANGDIR"), (3, 3)),
    **dict.fromkeys(("REGEX", "SUBSTR"), (2, 3)),
    "REPLACE": (3, 4),
    "BNODE": (0, 1),
    **dict.fromkeys(("CONCAT", "COALESCE"), (0, 10_000)),
    # Not in the standard: Jena, RDF4J and Blazegraph know these.
    **dict.fromkeys(("SAMEVALUE", "ADJUST"), (1, 2)),
    "CALL": (1, 10_000),
}

AGGREGATES = frozenset(
    # Only the first line is standard; the others are Jena's, RDF4J's, Stardog's and QLever's.
    (
        *("COUNT", "SUM", "MIN", "MAX", "AVG", "SAMPLE", "GROUP_CONCAT"),
        *("MEDIAN", "MODE", "STDEV", "STDEV_SAMP", "STDEV_POP", "VARIANCE", "VAR_SAMP", "VAR_POP", "AGG", "FOLD"),
    )
)

# A second run may answer differently, so an answer must not be kept. Source: SPARQL 1.1 section 17.4.
VOLATILE = frozenset(("NOW", "RAND", "UUID", "STRUUID", "BNODE"))

PATTERN_WORDS = frozenset(
    (
        *("FILTER", "OPTIONAL", "UNION", "MINUS", "BIND", "VALUES", "GRAPH", "SERVICE", "EXISTS", "NOT"),
        *("LATERAL", "INCLUDE"),
    )
)
CLAUSE_WORDS = frozenset(
    (
        *("PREFIX", "BASE", "VERSION", "DEFINE", "DISTINCT", "REDUCED", "FROM", "NAMED", "WHERE", "GROUP", "HAVING"),
        *("ORDER", "BY", "ASC", "DESC", "LIMIT", "OFFSET", "AS", "SILENT", "UNDEF", "DATA", "USING", "WITH", "INTO"),
        *("TO", "DEFAULT", "ALL", "SEPARATOR", "TRUE", "FALSE", "IN"),
    )
)
KEYWORDS = (
    frozenset(QUERY_FORMS) | UPDATE_FORMS | PATTERN_WORDS | CLAUSE_WORDS | AGGREGATES | frozenset(BUILTINS) - {"ADJUST"}
)
