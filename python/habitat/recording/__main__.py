"""`python3 -m habitat.recording`: the recorder that `habitat record SCRIPT.py` runs."""

from __future__ import annotations

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
