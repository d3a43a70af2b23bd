"""What holds for all tests: where they gate a change, the same examples are drawn every time."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("gate", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("gate")
