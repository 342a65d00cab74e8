"""What a peer's process was started to be, and how it says that it cannot be that."""

import logging
import sys
from collections.abc import Callable

from .exact import Unsupported

UNSUPPORTED_STATUS = 127
"""The exit status that says: this role, or this script, is not supported."""


def run(**roles: Callable[[], None]) -> None:
    """Plays the role that the arguments name: ``server --http --typed`` is ``server_http_typed``.

    The SDK's warnings go to stderr, as do the words of what is unsupported.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    name = "_".join(word.removeprefix("--") for word in sys.argv[1:])
    try:
        if name not in roles:
            raise Unsupported(f"expected one of {', '.join(roles)}, found {name!r}")
        roles[name]()
    except Unsupported as reason:
        print(f"unsupported: {reason}", file=sys.stderr)
        sys.exit(UNSUPPORTED_STATUS)
