"""Keys, and the headers they come in."""

from __future__ import annotations

import copy
import hmac
import logging
import pickle
import re
import secrets
from base64 import b64decode
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from finalturn import ConfigurationError
from finalturn._serve.access import keys as _keys
from finalturn._serve.access.keys import ApiKeys, StoredKey, bearer_key, new_key, read_keys


def known_key(name: str, fill: str) -> tuple[str, str]:
    """A key that is the same in every process: it stands in the names of tests."""
    key = "finalturn_" + fill * 43
    return key, f"{name} sha256:{sha256(key.encode()).hexdigest()}"


ALICE, ALICE_LINE = known_key("alice", "a")
ALICE_NEW, ALICE_NEW_LINE = known_key("alice", "n")
BOB, BOB_LINE = known_key("bob", "b")
KEYS = ApiKeys([line.split() for line in (ALICE_LINE, BOB_LINE, ALICE_NEW_LINE)])
DIGEST = "sha256:" + "0f" * 32


def request(*headers: tuple[str, str | bytes]) -> Request:
    raw = [(name.encode(), value if isinstance(value, bytes) else value.encode()) for name, value in headers]
    return Request({"type": "http", "headers": raw})


def owner(*values: str | bytes) -> str | None:
    return KEYS(request(*(("authorization", value) for value in values)))


def rank(vectors: Iterable[int]) -> int:
    """How many of the bits are independent of each other: the rank over the field of two elements."""
    rows: dict[int, int] = {}
    for vector in vectors:
        left = vector
        while left and (row := rows.get(left.bit_length())):
            left ^= row
        if left:
            rows[left.bit_length()] = left
    return len(rows)


def test_a_key_is_random_and_its_line_holds_a_digest() -> None:
    made = [new_key("alice") for _ in range(400)]
    for key, line in made:
        assert re.fullmatch(r"finalturn_[A-Za-z0-9_-]{43}", key)
        assert line == f"alice sha256:{sha256(key.encode()).hexdigest()}"
    bits = [int.from_bytes(b64decode(f"{key.removeprefix('finalturn_')}=", b"-_")) for key, _ in made]
    # Fewer random bits that are repeated or spread out are as long, and no more. Of 400 vectors of 256 bits,
    # all bits are independent but for one time in 2**144.
    assert rank(bits) == 256


def test_bits_that_are_spread_out_are_not_counted_twice() -> None:
    short = [secrets.randbits(64) for _ in range(400)]
    assert rank(value << 192 | value << 128 | (value ^ value >> 1) << 64 | value for value in short) == 64


@pytest.mark.parametrize("name", ["", ".a", "@a", "a b", "a:b", "é", "a\n", "a" * 65, "a/b", "#a"])
def test_a_name_that_is_not_allowed_gets_no_key(name: str) -> None:
    with pytest.raises(ConfigurationError, match="1 to 64 ASCII letters"):
        new_key(name)


@pytest.mark.parametrize("name", ["a", "_", "-", "A.b@c-d_e", "9" * 64])
def test_a_name_that_is_allowed(name: str) -> None:
    key, line = new_key(name)
    assert ApiKeys([line.split()])(request(("authorization", f"Bearer {key}"))) == name


def test_each_key_of_a_name_is_its_own() -> None:
    assert [owner(f"Bearer {key}") for key in (ALICE, ALICE_NEW, BOB)] == ["alice", "alice", "bob"]
    assert KEYS.names == ("alice", "bob")


# RFC 7235, section 2.1: the scheme is case-insensitive, and 1*SP stands behind it.
@pytest.mark.parametrize(
    "value",
    [f"bearer {ALICE}", f"BEARER {ALICE}", f"bEaReR   {ALICE}", f" Bearer {ALICE} ", f"\tBearer {ALICE}\t"],
)
def test_a_key_that_is_written_in_another_way(value: str) -> None:
    assert owner(value) == "alice"


MALFORMED: list[str | bytes] = [
    b"",
    b"Bearer",
    b"Bearer ",
    b"Bearer     ",
    b"Bearer caf\xe9",
    b"Bearer \xff\xfe\x00",
    b"Bearer " + ALICE.encode() + b"\xa0",
    f"Bearer\t{ALICE}",
    f"Bearer{ALICE}",
    f"Bearer {ALICE} {ALICE}",
    f"Bearer {ALICE},",
    f"Bearer {ALICE}, Bearer {BOB}",
    f'Bearer "{ALICE}"',
    f"Bearer {ALICE}\n",
    f"Bearer {ALICE}\x00",
    f"Bearer {ALICE}=",
    f"Bearer {ALICE[:-1]}",
    f"Bearer {ALICE}A",
    f"Bearer {ALICE.upper()}",
    f"Bearer {ALICE_LINE.split()[1]}",
    f"Bearer {sha256(ALICE.encode()).hexdigest()}",
    "Bearer alice",
    "Bearer " + "A" * 100_000,
    f"Basic {ALICE}",
    f"Token {ALICE}",
    f"Bearer2 {ALICE}",
    f"Ｂearer {ALICE}",
    ALICE,
]


def test_a_malformed_key_belongs_to_nobody() -> None:
    for value in MALFORMED:
        assert owner(value) is None, value


def test_none_or_several_headers_belong_to_nobody() -> None:
    assert owner() is None
    assert owner(f"Bearer {ALICE}", f"Bearer {ALICE}") is None
    assert owner("", f"Bearer {ALICE}") is None
    assert KEYS(request(("Authorization", f"Bearer {ALICE}"))) == "alice"
    assert KEYS(request(("proxy-authorization", f"Bearer {ALICE}"), ("x-api-key", ALICE))) is None


@given(st.lists(st.binary(max_size=60), max_size=3))
def test_no_header_raises(values: list[bytes]) -> None:
    assert owner(*values) is None


@given(st.binary(min_size=1, max_size=60))
def test_what_is_taken_for_a_key_is_ascii_without_spaces(value: bytes) -> None:
    key = bearer_key([(b"authorization", b"Bearer " + value)])
    assert key is None or (key.isascii() and value.strip(b" \t") == key and not key.split()[1:])


def test_every_digest_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare_digest(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return hmac.compare_digest(one, other)

    class Spy:
        pass

    spy = Spy()
    monkeypatch.setattr(spy, "compare_digest", compare_digest, raising=False)
    monkeypatch.setattr(_keys, "hmac", spy)
    stored = [bytes.fromhex(line.split(":")[1]) for line in (ALICE_LINE, BOB_LINE, ALICE_NEW_LINE)]
    for key in (ALICE, BOB, "unknown"):
        compared.clear()
        owner(f"Bearer {key}")
        assert compared == [(sha256(key.encode()).digest(), digest) for digest in stored]


def test_nothing_shows_a_key_or_a_digest(caplog: pytest.LogCaptureFixture) -> None:
    stored = read_keys(ALICE_LINE)[0]
    with caplog.at_level(logging.DEBUG):
        logging.warning("%s %r %s", KEYS, KEYS, stored)
        owner(f"Bearer {ALICE}")
        owner(f"Bearer {ALICE}x")
    shown = f"{KEYS} {KEYS!r} {stored} {stored!r} {caplog.text}"
    assert shown.startswith("ApiKeys(3 of 2 names)")
    assert ALICE not in shown and "sha256" not in shown and str(stored.digest) not in shown
    assert not hasattr(KEYS, "__dict__")


def test_a_key_is_given_as_its_line_or_as_a_pair() -> None:
    both = ApiKeys([ALICE_LINE, BOB_LINE.split(), (*ALICE_NEW_LINE.split(),)])
    assert both.names == ("alice", "bob")
    for key, name in ((ALICE, "alice"), (ALICE_NEW, "alice"), (BOB, "bob")):
        assert both(request(("authorization", f"Bearer {key}"))) == name
    with pytest.raises(ConfigurationError, match=r"^keys must be a list of lines, not a str"):
        ApiKeys(ALICE_LINE)
    for wrong in (ALICE, f"{ALICE_LINE} {BOB_LINE}", "", " "):
        with pytest.raises(ConfigurationError, match=r"^key 1 is malformed") as caught:
            ApiKeys([wrong])
        assert ALICE not in str(caught.value)


def test_keys_are_not_pickled_or_copied() -> None:
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="not pickled or copied"):
            copied(KEYS)


def test_a_key_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    lines = [
        "# who",
        "",
        ALICE_LINE,
        f"  {BOB_LINE.upper().replace('BOB SHA256', 'bob  sha256')} # soon gone",
        "  ",
    ]
    for ends in ("\n", "\r\n"):
        path.write_bytes(b"\xef\xbb\xbf" + ends.join(lines).encode())
        keys = ApiKeys.from_file(path)
        found = [keys(request(("authorization", f"Bearer {key}"))) for key in (ALICE, BOB, ALICE_NEW)]
        assert found == ["alice", "bob", None]


@pytest.mark.parametrize(
    "line",
    [
        f"alice {ALICE}",
        ALICE,
        f"alice:{DIGEST}",
        f"{DIGEST} alice",
        f"alice {DIGEST} more",
        f"alice {DIGEST}0",
        f"alice {DIGEST[:-1]}",
        f"alice {DIGEST[:-1]}g",
        f"alice SHA256:{DIGEST[7:]}",
        f"alice md5:{DIGEST[7:]}",
        f"alice {DIGEST[7:]}",
        f"al:ice {DIGEST}",
        f"älice {DIGEST}",
        f"{'a' * 65} {DIGEST}",
        DIGEST,
    ],
)
def test_a_malformed_line_is_named_by_its_number_alone(tmp_path: Path, line: str) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(f"# keys\n{BOB_LINE}\n{line}\n", encoding="utf-8")
    with pytest.raises(
        ConfigurationError, match=r"^line 3 is malformed: it must be a name, a space"
    ) as caught:
        ApiKeys.from_file(path)
    text = str(caught.value)
    assert ALICE not in text and DIGEST not in text and DIGEST[7:] not in text and str(tmp_path) not in text


def test_a_malformed_pair_is_named_by_its_place_alone() -> None:
    with pytest.raises(ConfigurationError, match=r"^key 2 is malformed") as caught:
        ApiKeys([BOB_LINE.split(), ("alice", ALICE)])
    assert ALICE not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\n\n", "# nobody\n"])
def test_a_file_without_keys_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "keys.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match="there is no key"):
        ApiKeys.from_file(path)
    with pytest.raises(ConfigurationError, match="there is no key"):
        ApiKeys([])


def test_one_key_is_not_two(tmp_path: Path) -> None:
    path = tmp_path / "keys.txt"
    other = f"eve {ALICE_LINE.split()[1]}"
    path.write_text(f"{ALICE_LINE}\n\n{other}\n", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"^line 3 is the same key as line 1$"):
        ApiKeys.from_file(path)
    with pytest.raises(ConfigurationError, match=r"^key 2 is the same key as key 1$"):
        ApiKeys([ALICE_LINE.split(), other.split()])


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"^the key file cannot be read: No such file") as caught:
        ApiKeys.from_file(tmp_path / "keys.txt")
    assert str(tmp_path) not in str(caught.value)
    (tmp_path / "keys.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigurationError, match=r"^the key file is not UTF-8 text$"):
        ApiKeys.from_file(tmp_path / "keys.txt")


def test_the_lines_of_a_text_are_counted_from_1() -> None:
    digest = bytes.fromhex(DIGEST[7:])
    assert read_keys(f"# a\n\nbob {DIGEST}\r\n") == [StoredKey(3, "bob", digest)]
