"""The prompts: one template a file, with a block `system` that says what to do and a block `user` that says what about.

What comes from the user or from the graph stands between marks that nothing within them can close: see `data`.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from plugins.nl.model.contract import Prompt, Purpose

# Rises when the templates are made anew rather than reworded.
_VERSION = 1
_FOLDER = Path(__file__).parent
_SUFFIX = ".j2"
OPEN, CLOSE = "⟦", "⟧"
# The marks, and the signs that look like them.
_UNMARKED = str.maketrans({"⟦": "[", "⟧": "]", "〚": "[", "〛": "]", "⟬": "[", "⟭": "]"})


def prompt(name: str, purpose: Purpose, **values: Any) -> Prompt:
    """Return a prompt made of a template. A value that the template names and nobody gives is an error."""
    template = _environment().get_template(name + _SUFFIX)
    return Prompt(purpose=purpose, system=_block(template, "system", values), user=_block(template, "user", values))


@cache
def digest() -> str:
    """Return the version of all prompts, such as `p1-3f2a90c4d1e7`: another word in any of them makes another one."""
    said = hashlib.sha256()
    for path in sorted(_FOLDER.glob(f"*{_SUFFIX}")):
        said.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return f"p{_VERSION}-{said.hexdigest()[:12]}"


def data(text: object) -> str:
    """Return a text between the marks of data; it cannot hold the marks itself, so it cannot close them."""
    return f"{OPEN}{str(text).translate(_UNMARKED)}{CLOSE}"


def unmarked(text: str) -> str:
    """Return a text without the marks of data, where a model repeats them."""
    return text.replace(OPEN, "").replace(CLOSE, "").strip()


@cache
def _environment() -> Environment:
    # The prompts are plain text: escaping for HTML would change what people and graphs say.
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["data"] = data
    return made


def _block(template: Template, name: str, values: dict[str, Any]) -> str:
    return "".join(template.blocks[name](template.new_context(values))).strip()
