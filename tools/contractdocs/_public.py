"""Which modules are public. Every other module of the package is private, whatever it is called."""

from __future__ import annotations

PUBLIC_MODULES = (
    "finalturn",
    "finalturn.providers",
    "finalturn.sessions",
    "finalturn.observers",
    "finalturn.otel",
    "finalturn.gates",
    "finalturn.serve",
    "finalturn.testing",
    "finalturn.contract",
    "finalturn.stability",
    "finalturn.local",
)
