"""Proxies of the environment: those that serve, and those that cannot be used."""

from __future__ import annotations

import os
import sys
from typing import Any
from urllib.request import getproxies_environment

import httpx
import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from finalturn import Agent
from finalturn._core.errors import ProviderError
from finalturn._providers.http import proxies as _proxies
from finalturn._providers.http.client import Clients
from finalturn._providers.http.proxies import UnusableProxy, mounts_of_environment, proxy_for
from finalturn.providers import Fallback, OpenAIChat, Scripted
from tests.providers._asking import ANSWER, EXPECTED, ask
from tests.providers._server import serving

LIMITS = httpx2.Limits()
TLS = httpx2.create_ssl_context()

BROKEN = [
    ("socks5://me:SENTINEL@127.0.0.1:9", r"needs another package: pip install 'httpx2\[socks\]'"),
    ("socks5h://127.0.0.1:9", "needs another package"),
    ("socks://127.0.0.1:9", "its scheme is none of http, https, socks5, socks5h"),
    ("ftp://127.0.0.1:9", "its scheme is none of"),
    ("http://127.0.0.1:99999", "no address such as"),
    ("http://127.0.0.1:-1", "no address such as"),
    ("http://127.0.0.1:0", "no address such as"),
    ("http://me:SENTINEL@127.0.0.1:SENTINEL", "no address such as"),
    ("http://", "no address such as"),
    ("http://:3128", "no address such as"),
    ("http://[::1", "no address such as"),
    ("[::1", "no address such as"),
    ("://x", "no address such as"),
    ("http://a b:1", "no address such as"),
    (" ", "no address such as"),
    ("127.0.0.1:x", "no address such as"),
]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    # A machine may have some in its settings.
    monkeypatch.setattr(_proxies, "getproxies", getproxies_environment)
    # It may have the package, too.
    monkeypatch.setitem(sys.modules, "socksio", None)


@pytest.mark.anyio
@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"])
async def test_a_proxy_that_cannot_be_used_is_a_failure_that_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    await _expect_failure(monkeypatch, variable, *BROKEN[0])


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
@pytest.mark.anyio
async def test_each_address_of_a_proxy_that_cannot_be_used_is_a_failure_that_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for address, problem in BROKEN:
        await _expect_failure(monkeypatch, "ALL_PROXY", address, problem)


async def _expect_failure(monkeypatch: pytest.MonkeyPatch, variable: str, address: str, problem: str) -> None:
    monkeypatch.setenv(variable, address)
    events, failure = await ask("http://model.example/v1")
    assert events == [], address
    assert failure is not None, address
    assert not failure.retryable
    assert f"the proxy of {variable} cannot be used" in str(failure)
    with pytest.raises(ProviderError, match=problem):
        raise failure
    assert "SENTINEL" not in f"{failure!r} {failure.detail} {failure.__cause__} {failure.__context__}"


@pytest.mark.anyio
@pytest.mark.parametrize("variable", ["ALL_PROXY", "https_proxy"])
async def test_a_fallback_goes_on(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "socks5://127.0.0.1:9")
    async with OpenAIChat("m", base_url="https://model.example/v1", api_key="k") as first:
        result = await Agent(Fallback(first, Scripted("Hello"))).arun("hi")
    assert result.text == "Hello"
    assert variable in result.switches[0].reason


@pytest.mark.anyio
class TestWhereItIsNotInTheWay:
    async def test_a_host_that_is_exempt(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("all_proxy", "socks://127.0.0.1:9")
        for exempt in ("127.0.0.1", "localhost, 127.0.0.0/8,[bad,http://[x", "*", "a,*"):
            monkeypatch.setenv("NO_PROXY", exempt)
            async with serving(ANSWER) as server:
                assert await ask(server.url) == (EXPECTED, None)

    async def test_another_scheme(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:x")
        async with serving(ANSWER) as server:
            assert await ask(server.url) == (EXPECTED, None)

    async def test_a_better_one_for_the_scheme(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(ANSWER) as server:
            monkeypatch.setenv("ALL_PROXY", "socks://127.0.0.1:9")
            monkeypatch.setenv("http_proxy", f"127.0.0.1:{server.port}")
            assert await ask("http://model.example/v1") == (EXPECTED, None)
            assert server.requests[0].target == "http://model.example/v1/chat/completions"

    async def test_the_one_in_lower_case_counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async with serving(ANSWER) as server:
            monkeypatch.setenv("HTTP_PROXY", "socks://127.0.0.1:9")
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{server.port}")
            assert await ask("http://model.example/v1") == (EXPECTED, None)


HOSTS = [
    "a.example",
    "example",
    "x.a.example",
    "ba.example",
    "127.0.0.1",
    "192.168.3.4",
    "[::1]",
    "localhost",
]


@pytest.mark.parametrize(
    "exempt",
    [
        "",
        "a.example",
        ".a.example",
        "*.a.example",
        "localhost",
        "127.0.0.1,::1",
        "[::1]",
        "192.168.0.0/16",
        "fe80::/10",
        "http://a.example",
        "all://localhost",
        "a.example:8080",
        " a.example , ,127.0.0.1",
        "*",
        "x/y",
        "300.1.1.1",
        "192.168.3.4/99",
    ],
)
def test_what_is_exempt_is_what_the_client_s_own_reading_exempts(
    monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:3128")
    monkeypatch.setenv("NO_PROXY", exempt)
    theirs = httpx2.AsyncClient(verify=TLS)
    mounts = mounts_of_environment(LIMITS, TLS)
    ours = httpx2.AsyncClient(mounts=mounts, trust_env=False, verify=TLS)
    for host in HOSTS:
        for url in (f"http://{host}/v1", f"https://{host}:8080/v1"):
            assert (proxy_for(ours, url) is None) == (proxy_for(theirs, url) is None), url


@given(
    exempt=st.text(alphabet="a.*:/[]1, -é", max_size=20),
    address=st.text(alphabet="htps5:/[]@a1.% é", max_size=20).filter(bool),
)
def test_nothing_in_the_environment_breaks_it(exempt: str, address: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALL_PROXY", address)
        patch.setenv("NO_PROXY", exempt)
        mounts = mounts_of_environment(LIMITS, TLS)
        httpx2.AsyncClient(mounts=mounts, trust_env=False, verify=TLS)
    for transport in mounts.values():
        assert transport is None or isinstance(transport, (UnusableProxy, httpx2.AsyncHTTPTransport))


def test_without_any_nothing_is_made() -> None:
    assert mounts_of_environment(LIMITS, TLS) == {}


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_whom_a_client_of_the_user_asks(library: Any) -> None:
    client = library.AsyncClient(proxy="http://me:SENTINEL@proxy.example:3128")
    assert str(proxy_for(client, "http://model.example/v1")) == "proxy.example:3128"
    assert str(proxy_for(library.AsyncClient(proxy="http://[::1]:3128"), "http://x")) == "[::1]:3128"
    assert proxy_for(library.AsyncClient(), "http://model.example/v1") is None
    assert proxy_for(object(), "http://model.example/v1") is None


@pytest.mark.anyio
async def test_a_provider_s_client_is_made_with_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:3128")
    clients = Clients()
    found = await clients.get()
    assert str(proxy_for(found, "https://model.example/v1")) == "127.0.0.1:3128"
    assert proxy_for(found, "http://model.example/v1") is None
    await clients.aclose()
