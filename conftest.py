"""Settings of the test run that are code."""

from __future__ import annotations

from hypothesis import settings

# On a busy machine a deadline fails tests that are right. Everything else stays as Hypothesis chose it: on a
# CI machine that is a run without chance.
settings.register_profile("finalturn", deadline=None)
settings.load_profile("finalturn")
