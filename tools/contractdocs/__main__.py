"""``python -m tools.contractdocs write|check|review|release VERSION``."""

from __future__ import annotations

import sys

from tools.contractdocs.findings import broken


def main(arguments: list[str]) -> int:
    """Run one command; what it cannot even import is a finding too."""
    try:
        from tools.contractdocs.commands import run
    except Exception as error:
        print(broken(error, "the code cannot be imported"))
        return 1
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
