"""Makes an old release of the SDK work again that its dependencies have left behind.

The releases before 1.21.1 name no upper bound for pydantic, and import a private function of it that is gone since
2.14. Whoever still uses them has an older pydantic; with the newest one they cannot be imported at all.

Runs once, after an installation without a lock file, with the Python that it was made for.
"""

import subprocess
import sys

try:
    import mcp  # noqa: F401 - whether it can be imported is the question
except ImportError as error:
    print(f"with an older pydantic, for: {error}", file=sys.stderr)
    pip = [sys.executable, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--disable-pip-version-check", "--prefer-binary", "pydantic<2.14"], check=True)
