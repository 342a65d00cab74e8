"""FastMCP behind the peer contract, for its releases 2.x, 3.x and 4.x: ``client``, ``server``, ``server --http``.

::

    client.py  a session with fastmcp.Client          errors.py  where in the client an error arose
    server.py  a script played by middleware          typed.py   a script told as functions under @mcp.tool

What a role does not need is not imported: a stdio server is started for every session, and FastMCP takes its time.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "contract"))

from peer_contract import roles


def client() -> None:
    """Plays jobs."""
    import asyncio

    from peer_contract.client import serve

    from client import FastMcp

    asyncio.run(serve(FastMcp()))


def server() -> None:
    """Serves one session over the standard streams."""
    from peer_contract import script

    from server import scripted

    scripted(script.from_environment(), is_alone=True).run("stdio", show_banner=False)


def server_http() -> None:
    """Serves many scripts over HTTP."""
    import asyncio

    from peer_contract import host

    from server import endpoint

    asyncio.run(host.serve(endpoint))


if __name__ == "__main__":
    roles.run(client=client, server=server, server_http=server_http)
