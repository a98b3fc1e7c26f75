"""``finalturn sessions``: what is in a database of sessions, and its way in and out."""

from finalturn._cli.sessions.export import run_export
from finalturn._cli.sessions.import_ import run_import
from finalturn._cli.sessions.list import run_list
from finalturn._cli.sessions.migrate import run_migrate

__all__ = ["run_export", "run_import", "run_list", "run_migrate"]
