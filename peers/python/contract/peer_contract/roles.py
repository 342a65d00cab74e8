"""Roles of a peer's process, and the refusal of a role that it does not have.

A peer is a folder with a module for each of its roles. Its ``__main__`` names them::

    roles.run(client="client", servers=["server", "typed"])

==================  =======================  ==================================================
arguments           the module has           what is made of it
==================  =======================  ==================================================
``client``          ``SDK``                  a :class:`~peer_contract.client.Sdk`, given jobs
``server``          ``over_stdio(script)``   a coroutine, which serves one session
``server --http``   ``endpoint``             a :data:`~peer_contract.host.Make`, given scripts
==================  =======================  ==================================================
"""

import asyncio
import gc
import importlib
import logging
import sys
from collections.abc import Collection
from typing import Any

from . import script
from .exact import Unsupported

UNSUPPORTED_STATUS = 127
"""The exit status that says: this role, or this script, is not supported."""


def run(*, client: str, servers: Collection[str]) -> None:
    """Plays the role that the arguments name.

    The SDK's warnings go to stderr, as do the words of what is unsupported.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING)
    try:
        match sys.argv[1:]:
            case [role] if role == client:
                from .client import serve

                serve(_imported(client).SDK)
            case [role] if role in servers:
                told = script.from_environment()
                asyncio.run(_imported(role).over_stdio(told))
            case [role, "--http"] if role in servers:
                from . import host

                asyncio.run(host.serve(_imported(role).endpoint))
            case words:
                raise Unsupported(f"this adapter has no role `{' '.join(words)}`")
    except Unsupported as reason:
        print(reason, file=sys.stderr)
        sys.exit(UNSUPPORTED_STATUS)


def _imported(module: str) -> Any:
    """Imports a module of the peer, and with it the SDK.

    That makes thousands of classes, which are all kept. To look for garbage among them meanwhile is a fifth of the
    time that a stdio server takes to start.
    """
    gc.disable()
    try:
        return importlib.import_module(module)
    finally:
        gc.freeze()
        gc.enable()
