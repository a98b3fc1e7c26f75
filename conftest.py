"""Settings of the test run that are code."""

from __future__ import annotations

import os

from hypothesis import settings

# On a busy machine a deadline fails tests that are right. Everything else stays as Hypothesis chose it: on a
# CI machine that is a run without chance, with more examples than while somebody waits for it.
settings.register_profile("finalturn", deadline=None, max_examples=100 if os.environ.get("CI") else 40)
settings.load_profile("finalturn")
