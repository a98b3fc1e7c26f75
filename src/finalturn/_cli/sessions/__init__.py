"""``finalturn sessions``: lists, exports, imports and migrates the sessions of a database."""

from finalturn._cli.sessions.commands import run_export, run_import, run_list, run_migrate

__all__ = ["run_export", "run_import", "run_list", "run_migrate"]
