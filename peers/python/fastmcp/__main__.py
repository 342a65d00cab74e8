"""FastMCP behind the peer contract, for its releases 2.x, 3.x and 4.x: ``client``, ``server``, ``typed``.

::

    client.py    a session with fastmcp.Client        errors.py    where in the client an error arose
    server.py    a script played by middleware        payloads.py  what a script says, in FastMCP's types
    typed.py     a script told as functions           releases.py  what the releases call differently
"""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "contract"))

from peer_contract import roles

roles.run(client="client", servers=["server", "typed"])
