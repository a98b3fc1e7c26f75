"""Runs ``finalturn demo``: the support desk, and then every path of the contract."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager

from finalturn._cli.demo.contract import play_path
from finalturn._cli.demo.desk import order_database
from finalturn._cli.demo.model import play_model
from finalturn._cli.demo.paths import PATHS, Path
from finalturn._cli.view import Stage

__all__ = ["run_demo"]


def run_demo(stage: Stage, *, with_model: bool = True, paths: Sequence[Path] = PATHS) -> int:
    """Play the demo. The exit code: 1 when a path of the contract is wrong, else 0."""
    with order_database() as database, _loopback_without_proxy():
        stage.heading("A real small model")
        if with_model:
            play_model(stage, database)
        else:
            stage.remark("Left out, as --no-model asks.")
        wrong: list[str] = []
        for number, path in enumerate(paths, 1):
            stage.heading(f"Path {number} of {len(paths)}: {path.name}")
            stage.remark(path.story)
            if not play_path(stage, path, database):
                wrong.append(path.name)
    stage.heading("The contract")
    if wrong:
        stage.verdict(False, f"not as promised: {', '.join(wrong)}")
        return 1
    stage.verdict(True, f"all {len(paths)} paths are as promised")
    return 0


@contextmanager
def _loopback_without_proxy() -> Generator[None]:
    """Reach the servers on this machine directly, whatever proxy the environment names."""
    before = os.environ.get("no_proxy"), os.environ.get("NO_PROXY")
    os.environ["no_proxy"] = ",".join([*filter(None, before), "127.0.0.1"])
    try:
        yield
    finally:
        if before[0] is None:
            del os.environ["no_proxy"]
        else:
            os.environ["no_proxy"] = before[0]
