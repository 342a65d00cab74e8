"""Finds what adapters share, as ``__main__`` does."""

import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent

sys.path.insert(0, str(FOLDER.parent / "contract"))
