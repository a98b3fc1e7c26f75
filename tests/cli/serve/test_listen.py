"""Where a server listens."""

from __future__ import annotations

import errno
import socket
from typing import NoReturn

import pytest

from finalturn import ConfigurationError
from finalturn._cli.serve.listen import address_of, is_loopback, listen


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_the_loopback_is_for_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"])
def test_any_other_address_is_not(host: str) -> None:
    assert not is_loopback(host)


def test_a_name_is_of_the_loopback_when_all_its_addresses_are(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(socket.AF_INET, 1, 6, "", (host, 0)) for host in ("127.0.0.1", "192.0.2.1")]

    def getaddrinfo(*_: object, **__: object) -> object:
        return both

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    assert not is_loopback("sly.example")


def test_a_free_port_is_found_and_told() -> None:
    with listen("127.0.0.1", 0) as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_all_addresses_are_opened_at_the_loopback() -> None:
    with listen("0.0.0.0", 0) as listener:
        assert address_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_an_address_of_ipv6_stands_in_brackets() -> None:
    class Listener:
        family = socket.AF_INET6

        def getsockname(self) -> tuple[str, int, int, int]:
            return "::", 8000, 0, 0

    assert address_of(Listener()) == "http://[::1]:8000"  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_a_port_in_use_is_told() -> None:
    with listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(ConfigurationError, match=rf"^--port {port}: it is in use on 127\.0\.0\.1"):
            listen("127.0.0.1", port)


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EACCES, "--port 80: this user may not listen on it"),
        (errno.EADDRNOTAVAIL, "--host 127.0.0.1: this machine has no such address"),
        (errno.EMFILE, "--host 127.0.0.1 --port 80: listening failed: Too many"),
    ],
)
def test_what_the_system_says_is_put_in_words(
    monkeypatch: pytest.MonkeyPatch, number: int, said: str
) -> None:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise OSError(number, "Too many")

    monkeypatch.setattr(socket, "create_server", refuse)
    with pytest.raises(ConfigurationError, match=f"^{said}"):
        listen("127.0.0.1", 80)


def test_a_host_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> NoReturn:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(ConfigurationError, match=r"^--host nowhere: there is no such host$"):
        is_loopback("nowhere")
