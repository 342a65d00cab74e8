"""`python -m mcp_compat` is the program."""

import os
import sys

from mcp_compat._program import ProgramNotFound, program


def main() -> None:
    try:
        path = program()
    except ProgramNotFound as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(3)
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
