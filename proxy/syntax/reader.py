"""From a query text to what it says."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from proxy.errors import BadQuery, TooLarge
from proxy.syntax.cursor import Retoken
from proxy.syntax.form import form_of, hidden_update
from proxy.syntax.limits import Limits
from proxy.syntax.names import declared, namespaces_at, used
from proxy.syntax.normal import normal_form
from proxy.syntax.prefixes import Prefixes
from proxy.syntax.problems import Problem, Unreadable, describe, position
from proxy.syntax.syntax import Form, Syntax, Tree
from proxy.syntax.targets import services, sources
from proxy.syntax.tokens import Tokens, tokenise
from proxy.syntax.update import Updates
from proxy.syntax.words import UPDATE_FORMS, VOLATILE

_NOTHING: Mapping[str, str] = MappingProxyType({})
_DEFAULT = Limits()
# 1,024 texts of up to 4,000 characters, which take 5 to 75 kB each.
_KEPT_TEXTS = 1024
_KEPT_LENGTH = 4000
_RETRIES = 16

# Functions beyond the standard that answer differently each time: Jena's afn:now, Virtuoso's bif:rnd, ...
_FICKLE_NAMES = "now|rand|rnd|random|uuid|struuid|bnode|cur(?:rent-?)?(?:date|time|datetime)"
_FICKLE = re.compile(rf"(?:{_FICKLE_NAMES})\Z", re.IGNORECASE)
_FICKLE_CALL = re.compile(rf"[:#/]({_FICKLE_NAMES})>?\s*\(", re.IGNORECASE)
# What an expression has and hardly an IRI.
_DOUBTFUL = re.compile(r"[?$&()=!,]")
_LOCAL = re.compile(r"[^#/:]*\Z")


def read(text: str, *, prefixes: Mapping[str, str] = _NOTHING, limits: Limits = _DEFAULT) -> Syntax:
    """Read a query or an update. ``prefixes`` are those that the endpoint implies.

    Text in a dialect that the grammar does not know comes back with ``checked`` false, to be forwarded all the same.

    Raises: BadQuery where no query or update form can be recognised, where brackets nest above the limit, or for
    half a surrogate pair; TooLarge above the limits of bytes and tokens.

    Example:
        >>> syntax = read("SELECT * { ?s ?p ?o }")
        >>> syntax.form.value, syntax.checked, len(syntax.patterns)
        ('select', True, 1)
    """
    if len(text) > _KEPT_LENGTH:
        return read_cold(text, prefixes, limits)
    return _remembered(text, Prefixes.of(prefixes), limits)


@functools.lru_cache(maxsize=_KEPT_TEXTS)
def _remembered(text: str, prefixes: Prefixes, limits: Limits) -> Syntax:
    return read_cold(text, prefixes.plain, limits)


def read_cold(text: str, implied: Mapping[str, str], limits: Limits) -> Syntax:
    """Read a text anew, past the memory of recent ones."""
    _check_size(text, limits)
    tokens = tokenise(text, limits)
    form = form_of(text, tokens)
    grow = functools.partial(_grown, text, tokens, form, implied, limits)
    if not _can_wait(text, tokens, form):
        tree, tokens = grow()
        if tree.problem is not None and form is not Form.UPDATE and hidden_update(tokens):
            form = Form.UPDATE
        return _facts(text, tokens, form, implied, lambda: tree)
    return _facts(text, tokens, form, implied, lambda: grow()[0])


def _can_wait(text: str, tokens: Tokens, form: Form) -> bool:
    """Whether the tokens tell all that a gate needs, and the rest is small enough to be read on the event loop."""
    if len(text) > _KEPT_LENGTH or form is Form.UPDATE or not UPDATE_FORMS.isdisjoint(tokens.kinds):
        return False
    # Less-than may look like the start of an IRI, as in `?a<?b&&?c>?d`; only the grammar can tell.
    pairs = zip(tokens.kinds, tokens.texts, strict=True)
    return not any(kind == "iri" and _DOUBTFUL.search(word) for kind, word in pairs)


def _facts(text: str, tokens: Tokens, form: Form, implied: Mapping[str, str], grow: Callable[[], Tree]) -> Syntax:
    undeclared = used(tokens) - declared(tokens)
    datasets, loads = sources(tokens, implied)
    return Syntax(
        text=text,
        form=form,
        implied=implied,
        missing_prefixes=frozenset(undeclared - implied.keys()),
        borrowed_prefixes=frozenset(undeclared & implied.keys()),
        services=services(text, tokens, implied),
        datasets=datasets,
        loads=loads,
        pragmas=_pragmas(tokens),
        grow=grow,
    )


def _grown(text: str, tokens: Tokens, form: Form, implied: Mapping[str, str], limits: Limits) -> tuple[Tree, Tokens]:
    """Read the tree, and return the tokens with it: they are others where a ``<`` was no IRI's."""
    found, problem, retokened = _parse(text, tokens, form, implied, limits)
    tokens = found.tokens
    last = namespaces_at(tokens, implied)(len(tokens.kinds)) if problem is not None else found.namespaces
    tree = Tree(
        problem=problem,
        normal=text if problem is not None or retokened else normal_form(text, tokens),
        prefixes=MappingProxyType(last.declared),
        base=last.base,
        patterns=tuple(found.patterns),
        scopes=tuple(found.scopes),
        bindings=tuple(found.bindings),
        parts=tuple(found.parts),
        volatile=_volatile(text, tokens, found, problem),
        projection=found.selection.projection if found.selection else None,
        aggregates=found.selection.aggregates if found.selection else False,
        grouped=found.grouped,
        limit=found.limit,
        offset=found.offset,
    )
    return tree, tokens


def _check_size(text: str, limits: Limits) -> None:
    size = len(text)
    if size <= limits.max_bytes and not text.isascii():
        try:
            size = len(text.encode())
        except UnicodeEncodeError as error:
            line, column = position(text, error.start)
            raise BadQuery(
                f"line {line}, column {column}: half of a surrogate pair, which no UTF-8 text can hold.",
                line=line,
                column=column,
            ) from error
    if size > limits.max_bytes:
        raise TooLarge(
            f"The query is longer than {limits.max_bytes} bytes. Send it in parts, or raise server.max_query_bytes."
        )


def _parse(
    text: str, tokens: Tokens, form: Form, implied: Mapping[str, str], limits: Limits
) -> tuple[Updates, Problem | None, bool]:
    """Apply the grammar; say what it found, what stopped it, and whether a ``<`` had to be told from an IRI."""
    tree = Updates(tokens, implied)
    if tokens.coarse:
        problem = Problem(1, 1, f"too long to check: more than {limits.max_checked_tokens} tokens")
        return tree, problem, False
    operators: frozenset[int] = frozenset()
    for _ in range(_RETRIES):
        try:
            tree.update() if form is Form.UPDATE else tree.query()
        except Retoken as note:
            operators |= {note.offset}
            tokens = tokenise(text, limits, operators)
            tree = Updates(tokens, implied)
        except Unreadable as stop:
            return tree, _problem(text, tokens, stop), bool(operators)
        except RecursionError:
            return tree, Problem(1, 1, "nested too deeply to check"), bool(operators)
        else:
            stop_at = Unreadable(tokens.faults[0], ("SPARQL",)) if tokens.faults else None
            return tree, _problem(text, tokens, stop_at) if stop_at else None, bool(operators)
    return tree, Problem(1, 1, "too many '<' that look like the start of an IRI: put spaces around them"), True


def _problem(text: str, tokens: Tokens, stop: Unreadable) -> Problem:
    kind = tokens.kinds[stop.index]
    if kind == "end" and tokens.faults and not stop.hint:
        open_at = tokens.faults[-1]
        line, column = position(text, tokens.starts[open_at])
        hint = f"the {tokens.texts[open_at]!r} of line {line}, column {column} is never closed"
        stop = Unreadable(stop.index, stop.expected, hint)
    return describe(text, tokens.starts[stop.index], kind, tokens.texts[stop.index], stop)


def _volatile(text: str, tokens: Tokens, tree: Updates, problem: Problem | None) -> frozenset[str]:
    found = VOLATILE.intersection(tokens.kinds)
    if problem is not None:
        return found | {match[1] for match in _FICKLE_CALL.finditer(text)}
    called = {match[0] for function in tree.functions if (match := _LOCAL.search(function))}
    return found | {name for name in called if _FICKLE.match(name)}


def _pragmas(tokens: Tokens) -> tuple[str, ...]:
    if "DEFINE" not in tokens.kinds:
        return ()
    return tuple(tokens.texts[i + 1] for i, kind in enumerate(tokens.kinds[:-1]) if kind == "DEFINE")
