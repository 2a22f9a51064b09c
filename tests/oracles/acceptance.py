"""Whether other parsers take a text, asked in a child process: nesting and strange text can end them."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool


def pyrudof_accepts(texts: Sequence[str]) -> list[bool | None]:
    """Ask Oxigraph's parser (through pyrudof; it evaluates nothing). None: the process died."""
    return _in_child(_pyrudof, texts)


def tree_sitter_accepts(texts: Sequence[str]) -> list[bool | None]:
    """Ask tree-sitter-sparql: no ERROR and no MISSING node in the tree."""
    return _in_child(_tree_sitter, texts)


def _in_child(ask: object, texts: Sequence[str]) -> list[bool | None]:
    spawn = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(1, mp_context=spawn) as pool:
            return list(pool.submit(ask, list(texts)).result(timeout=120))  # type: ignore[arg-type]
    except BrokenProcessPool:
        if len(texts) == 1:
            return [None]
        half = len(texts) // 2
        return _in_child(ask, texts[:half]) + _in_child(ask, texts[half:])


def _pyrudof(texts: list[str]) -> list[bool]:
    import pyrudof

    rudof = pyrudof.Rudof(pyrudof.RudofConfig())
    return [_raises_not(lambda text=text: rudof.read_query("# a query, not a file\n" + text)) for text in texts]


def _tree_sitter(texts: list[str]) -> list[bool]:
    import tree_sitter
    import tree_sitter_sparql

    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_sparql.language()))
    return [not parser.parse(text.encode()).root_node.has_error for text in texts]


def _raises_not(call: object) -> bool:
    try:
        call()  # type: ignore[operator]
    except Exception:  # noqa: BLE001  a foreign parser says no in ways of its own
        return False
    return True
