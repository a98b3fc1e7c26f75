"""botocore, where it is and where it is not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._providers.bedrock import aws as _bedrock_botocore
from finalturn._providers.bedrock.aws import need_botocore, part_of_botocore


def test_a_part_of_it_is_loaded_where_it_is_used() -> None:
    need_botocore()
    assert part_of_botocore("eventstream").EventStreamBuffer


def test_where_it_is_missing_a_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        assert name == "botocore"

    def missing(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name!r}", name="botocore")

    monkeypatch.setattr(_bedrock_botocore, "find_spec", nothing)
    monkeypatch.setattr(_bedrock_botocore, "import_module", missing)
    with pytest.raises(ConfigurationError, match=r"finalturn\[bedrock\]"):
        need_botocore()
    with pytest.raises(ConfigurationError, match=r"finalturn\[bedrock\]"):
        part_of_botocore("eventstream")


def test_what_it_lacks_itself_is_not_hidden() -> None:
    with pytest.raises(ModuleNotFoundError):
        part_of_botocore("no_such_part")


def test_a_provider_that_is_made_has_not_loaded_it() -> None:
    code = (
        "import sys; from finalturn.providers import Bedrock;"
        " Bedrock('m', region='eu-west-1'); Bedrock('m', region='eu-west-1', api_key='k');"
        " print('botocore' in sys.modules)"
    )
    source = Path(__file__).resolve().parents[2] / "src"
    env = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env, timeout=120
    )
    assert done.stdout.strip() == "False"
