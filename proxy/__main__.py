"""The command line: a table from command to module, which is imported when it is called."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence

from proxy.errors import ConfigError, UsageError

# command -> (module with `arguments(parser)` and `run(args) -> int`, one line of help)
COMMANDS = {
    "serve": ("proxy.serve", "run the proxy; without --config, the demo"),
    "load": ("proxy.load", "bulk-load RDF files into an embedded store"),
    "config": ("proxy.checkup", "check a configuration file, or list all keys"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0 ok, 1 negative answer, 2 bad use or config, 3 unavailable."""
    words = list(sys.argv[1:] if argv is None else argv)
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
            importlib.import_module(module).arguments(command)
    args = parser.parse_args(words)
    try:
        return int(importlib.import_module(COMMANDS[args.command][0]).run(args))
    except ConfigError as error:
        for mistake in error.mistakes:
            print(f"saga: {mistake}", file=sys.stderr)
        return 2
    except UsageError as error:
        print(f"saga: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
