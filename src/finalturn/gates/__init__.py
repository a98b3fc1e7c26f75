"""Gates: what is asked before a tool runs. A gate that fails denies."""

from finalturn.gates._coherence import CoherenceGate
from finalturn.gates._policy import ToolPolicy
from finalturn.gates._provider_check import provider_check

__all__ = ["CoherenceGate", "ToolPolicy", "provider_check"]
