"""AWS's Signature Version 4, written a second time: what a server does to check one.

After the "IAM User Guide", page "Create a signed AWS API request".
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Mapping
from hashlib import sha256
from urllib.parse import quote

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8})/([a-z0-9-]+)/(\w+)/aws4_request,"
    r" SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})"
)


def scope(headers: Mapping[str, str]) -> tuple[str, str, str]:
    """The key's id, the region and the service that a signature is of."""
    found = _AUTHORIZATION.fullmatch(headers["authorization"])
    assert found is not None
    return found[1], found[3], found[4]


def is_signed(target: str, headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """Whether a POST request carries a good signature of the secret key."""
    found = _AUTHORIZATION.fullmatch(headers["authorization"])
    assert found is not None
    _, day, region, service, names, signature = found.groups()
    path, _, query = target.partition("?")
    listed = "".join(f"{name}:{' '.join(headers[name].split())}\n" for name in names.split(";"))
    # A path is encoded once more for the signature than it is for the wire.
    canonical = "\n".join(["POST", quote(path, safe="/~"), query, listed, names, sha256(body).hexdigest()])
    digest = sha256(canonical.encode()).hexdigest()
    text = "\n".join(
        ["AWS4-HMAC-SHA256", headers["x-amz-date"], f"{day}/{region}/{service}/aws4_request", digest]
    )
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request", text):
        key = hmac.new(key, part.encode(), sha256).digest()
    return hmac.compare_digest(key.hex(), signature)
