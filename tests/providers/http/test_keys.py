"""Where a key comes from."""

from __future__ import annotations

import httpx2
import pytest

from finalturn._core.errors import ConfigurationError
from finalturn._providers.http.keys import find_address, find_key


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("A_KEY", raising=False)


def test_the_one_that_is_given_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "from-env")
    assert find_key(" given\n", "A_KEY", None, needed=True) == "given"
    assert find_key(None, "A_KEY", None, needed=True) == "from-env"
    assert find_key(None, None, None, needed=False) is None


@pytest.mark.parametrize("key", ["", " ", "\n", "\t \u00a0"])
@pytest.mark.parametrize(("variable", "instead"), [(None, "to send none"), ("A_KEY", "read from A_KEY")])
@pytest.mark.parametrize("needed", [True, False])
def test_an_empty_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, key: str, variable: str | None, instead: str, needed: bool
) -> None:
    monkeypatch.setenv("A_KEY", "from-env")
    with pytest.raises(ConfigurationError, match=f"api_key is empty.*{instead}"):
        find_key(key, variable, None, needed=needed)


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_missing_one_is_named_where_it_is_needed(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is not None:
        monkeypatch.setenv("A_KEY", value)
    with pytest.raises(ConfigurationError, match="A_KEY"):
        find_key(None, "A_KEY", None, needed=True)
    assert find_key(None, "A_KEY", None, needed=False) is None


@pytest.mark.parametrize("key", ["sk-SENTINEL\nx", "sk SENTINEL", "sk-SENTINEL\u00e9"])
def test_one_that_cannot_be_sent_is_refused_without_a_word_of_it(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    with pytest.raises(ConfigurationError, match="api_key") as caught:
        find_key(key, None, None, needed=False)
    assert "SENTINEL" not in str(caught.value)
    monkeypatch.setenv("A_KEY", key)
    with pytest.raises(ConfigurationError, match="A_KEY"):
        find_key(None, "A_KEY", None, needed=True)


def test_a_client_that_authenticates_needs_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "from-env")
    with_header = httpx2.AsyncClient(verify=False, headers={"Authorization": "Bearer own"})
    with_auth = httpx2.AsyncClient(verify=False, auth=("me", "pw"))
    for client in (with_header, with_auth):
        assert find_key(None, "A_KEY", client, needed=True) is None
        assert find_key("given", "A_KEY", client, needed=True) == "given"
    assert find_key(None, "A_KEY", httpx2.AsyncClient(verify=False), needed=True) == "from-env"


def test_it_may_do_so_in_the_header_that_the_key_is_sent_in() -> None:
    client = httpx2.AsyncClient(verify=False, headers={"Api-Key": "own"})
    assert find_key(None, "A_KEY", client, needed=True, header="api-key") is None
    with pytest.raises(ConfigurationError, match="A_KEY"):
        find_key(None, "A_KEY", client, needed=True)


@pytest.mark.parametrize("value", [None, "", " "])
def test_a_missing_address_is_named(monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("AN_ADDRESS", raising=False)
    if value is not None:
        monkeypatch.setenv("AN_ADDRESS", value)
    with pytest.raises(ConfigurationError, match="AN_ADDRESS, or give base_url"):
        find_address("AN_ADDRESS")


def test_an_address_is_read_without_the_space_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AN_ADDRESS", " https://x\n")
    assert find_address("AN_ADDRESS") == "https://x"
