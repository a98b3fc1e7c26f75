"""``finalturn sessions``: what is in a database of sessions, and its way in and out."""

from finalturn.cli.sessions._export import run_export
from finalturn.cli.sessions._import import run_import
from finalturn.cli.sessions._list import run_list
from finalturn.cli.sessions._migrate import run_migrate

__all__ = ["run_export", "run_import", "run_list", "run_migrate"]
