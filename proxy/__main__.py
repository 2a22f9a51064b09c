"""The command line: a table from command to module, which is imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from proxy.errors import ConfigError, UsageError

# command -> (module, one line of help). A module of the core has `arguments(parser)` and `run(args) -> int`; one of a
# plugin has `commands(parser)`, which sets `call`: `async def(context, args) -> int`.
COMMANDS = {
    "serve": ("proxy.serve", "run the proxy; without --config, the demo"),
    "load": ("proxy.load", "bulk-load RDF files into an embedded store"),
    "ask": ("plugins.nl.ask", "ask a question in plain language"),
    "evaluate": ("plugins.evaluation.commands", "measure strategies on questions with gold queries"),
    "schema": ("plugins.schema.commands", "build a schema index, or look inside one"),
    "check": ("plugins.schema.check", "check a query against the schema index"),
    "search": ("plugins.search.commands", "build a text index, find entities and properties, learn words for them"),
    "config": ("proxy.checkup", "check a configuration file, or list all keys"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 ok, 1 negative answer, 2 bad use or config, 3 unavailable."""
    words = list(sys.argv[1:] if argv is None else argv)
    args = argparse.Namespace()
    parser = argparse.ArgumentParser(
        prog="saga",
        description="An async SPARQL proxy with a mind for schemas.",
        epilog="`saga COMMAND --help` shows the options of one command, with an example.",
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, text) in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text.capitalize() + ".")
        if words[:1] == [name]:
            # Only the command that is called is imported: a command line must not wait for a web server.
            args, words = _declare(command, importlib.import_module(module), words)
    args = parser.parse_args(words, args)
    try:
        return int(args.start(args))
    except ConfigError as error:
        for mistake in error.mistakes:
            print(f"saga: {mistake}", file=sys.stderr)
        return 2
    except UsageError as error:
        print(f"saga: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


def _declare(
    parser: argparse.ArgumentParser, module: ModuleType, words: list[str]
) -> tuple[argparse.Namespace, list[str]]:
    """Let a module declare its options, and return those that are taken already with the words that are left.

    `--config` and `--server` of a plugin's command may stand anywhere, behind its sub-commands too.
    """
    if not hasattr(module, "commands"):
        module.arguments(parser)
        parser.set_defaults(start=module.run)
        return argparse.Namespace(), words
    command = importlib.import_module("proxy.command")
    module.commands(parser)
    parser.set_defaults(start=command.run)
    where = "where: --config FILE (default: the demo) or --server URL of a running proxy"
    parser.epilog = f"{parser.epilog}; {where}" if parser.epilog else where
    args, left = command.PLACE.parse_known_args(words)
    return args, left


if __name__ == "__main__":
    sys.exit(main())
