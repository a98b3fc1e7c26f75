"""``finalturn sessions``: what is in a database of sessions, and its way in and out."""

from finalturn._cli.sessions.commands import run_export, run_import, run_list, run_migrate

__all__ = ["run_export", "run_import", "run_list", "run_migrate"]
