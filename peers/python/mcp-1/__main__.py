"""The official Python SDK, 1.x, behind the peer contract: ``client``, ``server``, ``typed``, both with ``--http``."""

import sys
from pathlib import Path

sys.path.insert(1, str(Path(__file__).resolve().parent.parent / "contract"))

from peer_contract import roles

roles.run(client="client", servers=["server", "typed"])
