"""Commands for those who work on finalturn. They look at this checkout, whatever else is installed."""

import sys
from pathlib import Path

_SOURCE = str(Path(__file__).parents[1] / "src")
if _SOURCE not in sys.path[:1]:
    sys.path.insert(0, _SOURCE)
