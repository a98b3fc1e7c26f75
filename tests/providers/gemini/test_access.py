"""The paths of models, and keys."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._providers.gemini.access import KEY_VARIABLES, find_access, model_path
from finalturn._providers.gemini.vertex import Vertex


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in KEY_VARIABLES:
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(
    ("model", "path", "on_vertex"),
    [
        ("gemini-x", "/models/gemini-x", "/publishers/google/models/gemini-x"),
        ("models/gemini-x", "/models/gemini-x", "/models/gemini-x"),
        ("tunedModels/x", "/tunedModels/x", "/publishers/tunedModels/models/x"),
        ("google/gemini-x@001", "/models/google/gemini-x@001", "/publishers/google/models/gemini-x@001"),
        ("endpoints/12", "/models/endpoints/12", "/endpoints/12"),
        ("publishers/a/models/x", "/models/publishers/a/models/x", "/publishers/a/models/x"),
        ("a b?c#d", "/models/a%20b%3Fc%23d", "/publishers/google/models/a%20b%3Fc%23d"),
    ],
)
def test_a_name_becomes_a_path(model: str, path: str, on_vertex: str) -> None:
    assert model_path(model, on_vertex=False) == path
    assert model_path(model, on_vertex=True) == on_vertex


class TestKeys:
    def test_one_is_needed_and_it_says_which(self) -> None:
        with pytest.raises(ConfigurationError, match="GEMINI_API_KEY"):
            find_access(None, None, None, None)
        with pytest.raises(ConfigurationError, match="GEMINI_API_KEY"):
            find_access(" ", None, Vertex(), None)

    @pytest.mark.parametrize(
        ("set_to", "key"),
        [(("a", ""), "a"), (("", "b"), "b"), (("a", "b"), "a"), ((" ", "b"), "b")],
    )
    def test_it_may_have_two_names(
        self, set_to: tuple[str, str], key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for variable, value in zip(KEY_VARIABLES, set_to, strict=True):
            monkeypatch.setenv(variable, value)
        assert find_access(None, None, None, None) == key
        assert find_access(None, None, Vertex(), None) == key
        assert find_access("own", None, None, None) == "own"

    def test_it_goes_to_no_other_server(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", "a")
        assert find_access(None, "http://x/v1beta", None, None) is None
        assert find_access("own", "http://x/v1beta", None, None) == "own"

    @pytest.mark.parametrize(
        "options",
        [{"headers": {"Authorization": "x"}}, {"headers": {"X-Goog-Api-Key": "x"}}, {"auth": ("u", "p")}],
    )
    def test_a_client_may_bring_its_own(self, options: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GEMINI_API_KEY", "a")
        client = httpx2.AsyncClient(verify=False, **options)
        assert find_access(None, None, None, client) is None
        assert find_access(None, None, Vertex("p"), client) is None

    def test_a_client_without_needs_one(self) -> None:
        with pytest.raises(ConfigurationError, match="GEMINI_API_KEY"):
            find_access(None, None, None, httpx2.AsyncClient(verify=False))

    def test_a_project_needs_a_token(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("GOOGLE_API_KEY", "a")
        with pytest.raises(ConfigurationError, match=r"there is no token: give Vertex\(token=\.\.\.\)"):
            find_access(None, None, Vertex("p"), None)
        assert find_access(None, None, Vertex("p", token="t"), None) is None
        assert find_access("own", None, Vertex("p"), None) == "own"

    def test_it_is_one_or_the_other(self) -> None:
        with pytest.raises(ConfigurationError, match="and not both"):
            find_access("own", None, Vertex("p", token="t"), None)

    def test_one_that_cannot_be_sent_is_refused(self) -> None:
        with pytest.raises(ConfigurationError, match="api_key") as caught:
            find_access("sk SENTINEL", None, None, None)
        assert "SENTINEL" not in str(caught.value)
