"""Named bearer keys, of which only digests are kept."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from finalturn._core.errors import ConfigurationError
from finalturn._serve.access.owners import OWNER_PATTERN
from finalturn._support.keywords import known_keywords
from finalturn.stability import NEXT, beta

if TYPE_CHECKING:
    from starlette.requests import Request

__all__ = ["ApiKeys", "StoredKey", "bearer_key", "check_name", "new_key", "read_keys"]

_NAME = re.compile(OWNER_PATTERN)
_DIGEST = re.compile(r"sha256:([0-9A-Fa-f]{64})")
# "Bearer" 1*SP b64token (RFC 6750, section 2.1); the scheme may be in any case (RFC 7235, section 2.1).
_BEARER = re.compile(rb"[Bb][Ee][Aa][Rr][Ee][Rr] +([A-Za-z0-9._~+/-]+=*)")
_BYTES_OF_A_KEY = 32
_BAD_LINE = (
    'it must be a name, a space and "sha256:" with 64 hexadecimal digits. A key itself does not belong here:'
    ' "finalturn keys new NAME" makes one, and adds its line'
)


@beta(since=NEXT)
@known_keywords("new_key")
def new_key(name: str) -> tuple[str, str]:
    """Make a new key: 256 random bits.

    ```python
    from finalturn.serve import new_key

    key, line = new_key("alice")
    ```

    Args:
        name: whose key it is: 1 to 64 ASCII letters, digits, ``_``, ``-``, ``.`` or ``@``, of which the first
            is none of ``.@``.

    Returns:
        The key, for the client alone, and the line for the key file, which holds the name and a digest.

    Raises:
        ConfigurationError: the name is not allowed.
    """
    # What stands before the random part tells people, and scanners for leaked secrets, what this is.
    key = f"finalturn_{secrets.token_urlsafe(_BYTES_OF_A_KEY)}"
    return key, f"{check_name(name)} sha256:{_digest(key.encode()).hex()}"


@beta(since=NEXT)
class ApiKeys:
    """Named bearer keys. It says whose key a request carries: an `Authenticate`.

    ```python
    from finalturn.serve import ApiKeys, new_key

    key, line = new_key("alice")
    keys = ApiKeys([line])
    ```

    A name may have several keys, so that one can take the place of another. Sessions belong to the name.

    A key comes as ``Authorization: Bearer KEY`` (RFC 6750, section 2.1). A request without exactly one such
    header, or with any other key, belongs to nobody.

    Only SHA-256 digests are kept. That is enough for keys of 256 random bits, such as those of `new_key`:
    nobody can try them all, however fast the digest is. It is not enough for passwords that people think of.

    Args:
        keys: for each key its line, as `new_key` gives it: a name, a space, and ``"sha256:"`` with 64
            hexadecimal digits. Or the name and the digest as a pair.

    Raises:
        ConfigurationError: there is none, one of them is malformed, or two are the same.

    Contract:
        - `auth-fails-closed` (beta): With keys, no route but the health check MUST answer a request that has
          not exactly one valid key: a missing, malformed or unknown one is 401, before anything else of the
          request is looked at.
        - `owners-are-isolated` (beta): A session or run MUST NOT be read, continued, listed, deleted, resumed
          or stopped by anybody but its owner; for everybody else there is none.
    """

    __slots__ = ("__keys",)

    @known_keywords("ApiKeys")
    def __init__(self, keys: Iterable[str | Sequence[str]]) -> None:
        if isinstance(keys, str):
            raise ConfigurationError("keys must be a list of lines, not a str; a file is read by from_file()")
        stored = [
            _stored(number, key.split() if isinstance(key, str) else key)
            for number, key in enumerate(keys, 1)
        ]
        self.__keys = _checked(stored, "key")

    @classmethod
    def from_file(cls, path: str | os.PathLike[str]) -> ApiKeys:
        """Read a key file, as ``finalturn keys new`` writes it.

        Each line is a name, a space and ``sha256:`` with 64 hexadecimal digits. Empty lines, and what follows
        a ``#``, do not count.

        Args:
            path: the file. It is read once: a server that runs does not see what is changed later.

        Raises:
            ConfigurationError: the file cannot be read, holds no key, holds one twice, or has a line that is
                malformed. The line is named by its number alone.
        """
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            why = error.strerror or type(error).__name__
            raise ConfigurationError(f"the key file cannot be read: {why}") from None
        except UnicodeDecodeError:
            raise ConfigurationError("the key file is not UTF-8 text") from None
        keys = cls.__new__(cls)
        keys.__keys = _checked(read_keys(text), "line")
        return keys

    @property
    def names(self) -> tuple[str, ...]:
        """Who has keys, each once, in order."""
        return tuple(sorted({key.name for key in self.__keys}))

    def __call__(self, request: Request, /) -> str | None:
        """Whose key a request carries; ``None`` when it carries no valid one.

        Args:
            request: its headers are read.
        """
        key = bearer_key(request.scope["headers"])
        if key is None:
            return None
        digest, owner = _digest(key), None
        for stored in self.__keys:
            # All of them, and each in constant time: how long it takes does not tell how near a guess was.
            if hmac.compare_digest(digest, stored.digest):
                owner = stored.name
        return owner

    def __repr__(self) -> str:
        return f"ApiKeys({len(self.__keys)} of {len(self.names)} names)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("keys are not pickled or copied; read the key file again")


class StoredKey(NamedTuple):
    """A key as the server keeps it: its name and its digest.

    Attributes:
        number: its line, from 1.
        name: whose it is.
        digest: of the key, by SHA-256.
    """

    number: int
    name: str
    digest: bytes

    def __repr__(self) -> str:
        return f"StoredKey({self.number}, {self.name!r})"


def read_keys(text: str) -> list[StoredKey]:
    """The keys of a key file.

    Raises:
        ConfigurationError: a line is malformed; it is named by its number alone.
    """
    lines = (line.partition("#")[0].split() for line in text.split("\n"))
    return [_stored(number, words, "line") for number, words in enumerate(lines, 1) if words]


def bearer_key(headers: Iterable[tuple[bytes, bytes]]) -> bytes | None:
    """The key that a request's headers carry; ``None`` when there is not exactly one, well-formed.

    Args:
        headers: as in an ASGI scope.
    """
    values = [value for name, value in headers if name.lower() == b"authorization"]
    match = _BEARER.fullmatch(values[0].strip(b" \t")) if len(values) == 1 else None
    return match[1] if match else None


def check_name(name: object) -> str:
    """The name, if it is allowed.

    Raises:
        ConfigurationError: it is not.
    """
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise ConfigurationError(
        "the name of a key must be 1 to 64 ASCII letters, digits, '_', '-', '.' or '@', and start with a"
        " letter, a digit, '_' or '-'"
    )


def _stored(number: int, words: Sequence[str], kind: str = "key") -> StoredKey:
    match list(words):
        case [str(name), str(digest)] if _NAME.fullmatch(name) and (
            digest_match := _DIGEST.fullmatch(digest)
        ):
            return StoredKey(number, name, bytes.fromhex(digest_match[1]))
        case _:
            # What stands there may be a key.
            raise ConfigurationError(f"{kind} {number} is malformed: {_BAD_LINE}")


def _checked(keys: list[StoredKey], kind: str) -> tuple[StoredKey, ...]:
    if not keys:
        raise ConfigurationError('there is no key; "finalturn keys new NAME" makes one')
    first: dict[bytes, int] = {}
    for key in keys:
        if first.setdefault(key.digest, key.number) != key.number:
            raise ConfigurationError(f"{kind} {key.number} is the same key as {kind} {first[key.digest]}")
    return tuple(keys)


def _digest(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()
