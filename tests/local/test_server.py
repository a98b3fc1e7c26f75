"""The script that the server process runs: its one line, and what it tells the model server."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from finalturn._local import server as _server

Fake = Callable[[str], Path]


def run(weights: Path, template: Path) -> subprocess.CompletedProcess[str]:
    """Run the script with an input that has ended already."""
    return subprocess.run(
        [sys.executable, "-P", _server.__file__, str(weights), str(template), "a-name"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "template"
    path.write_text("é", encoding="utf-8")
    return path


def test_it_prints_one_line_and_ends_with_its_input(fake_packages: Fake, template: Path) -> None:
    done = run(fake_packages("pass"), template)
    assert (done.returncode, done.stdout, done.stderr) == (0, "listening http://127.0.0.1:9\n", "")


def test_what_the_library_prints_is_kept_out_of_the_line(fake_packages: Fake, template: Path) -> None:
    done = run(fake_packages("os.write(1, b'raw\\n'); print('noise', flush=True)"), template)
    assert done.stdout == "listening http://127.0.0.1:9\n"
    assert sorted(done.stderr.split()) == ["noise", "raw"]


def test_a_failure_is_one_line_and_exit_code_1(fake_packages: Fake, template: Path) -> None:
    done = run(fake_packages("raise OSError('two\\nlines')"), template)
    assert (done.returncode, done.stdout) == (1, "failed OSError: two lines\n")


def test_a_server_package_that_cannot_be_imported_is_a_failure(fake_packages: Fake, template: Path) -> None:
    weights = fake_packages("pass")
    module = weights.parents[1] / "xllamacpp" / "__init__.py"
    module.write_text("raise ImportError('libgomp.so.1 is missing')", encoding="utf-8")
    assert run(weights, template).stdout == "failed ImportError: libgomp.so.1 is missing\n"


def test_the_model_is_served_on_this_machine_only_and_without_chance(
    fake_packages: Fake, template: Path, tmp_path: Path
) -> None:
    plain = "lambda value: list(value) if type(value) is set else vars(value)"
    dump = f"import json; text = json.dumps(vars(params), default={plain})"
    weights = fake_packages(f"{dump}; open({str(tmp_path / 'params')!r}, 'w').write(text)")
    run(weights, template)
    params: dict[str, Any] = json.loads((tmp_path / "params").read_text())
    assert params["hostnames"] == ["127.0.0.1"]
    assert params["port"] == 0
    assert params["offline"] is True
    assert params["model"] == {"path": str(weights)}
    assert params["model_alias"] == ["a-name"]
    assert params["chat_template"] == "é"
    assert params["sampling"]["temp"] == 0.0
    assert params["cpuparams"]["n_threads"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="an interrupt is not a signal there")
def test_an_interrupt_of_the_terminal_is_left_to_the_parent(fake_packages: Fake, template: Path) -> None:
    weights = fake_packages("os.kill(os.getpid(), signal.SIGINT)")
    assert run(weights, template).stdout == "listening http://127.0.0.1:9\n"
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
