"""Encodes images as blocks of a Converse request, which takes their bytes, or an S3 address."""

from __future__ import annotations

from base64 import b64encode
from typing import Any
from urllib.parse import unquote, unquote_to_bytes

from finalturn._core.messages import ContentPart

# The reference's `ImageBlock`.
_FORMATS = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}
_ENDINGS = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}

# What stands for an image that the service cannot be given.
UNSEEN = "[an image that cannot be shown here]"


def image_block(part: ContentPart) -> dict[str, Any]:
    """An image.

    The service fetches nothing from the web, and knows four formats: a text stands for any other image, so
    that one of them does not make it refuse the conversation. That is logged as a warning.
    """
    url = part.url or ""
    image = _from_s3(url) if url.startswith("s3://") else _from_bytes(part)
    if image is None:
        _warn()
        return {"text": UNSEEN}
    return {"image": image}


def _from_s3(url: str) -> dict[str, Any] | None:
    kind = _ENDINGS.get(url.rpartition(".")[2].lower())
    return None if kind is None else {"format": kind, "source": {"s3Location": {"uri": url}}}


def _from_bytes(part: ContentPart) -> dict[str, Any] | None:
    data, media_type, url = part.data, part.media_type or "", part.url or ""
    if url[:5].lower() == "data:" and "," in url:
        # RFC 2397.
        head, _, body = url[5:].partition(",")
        media_type, *options = head.split(";")
        encoded = bool(options) and options[-1].strip().lower() == "base64"
        data = unquote(body) if encoded else b64encode(unquote_to_bytes(body)).decode()
    kind = _FORMATS.get(media_type.strip().lower())
    return None if not data or kind is None else {"format": kind, "source": {"bytes": data}}


def _warn() -> None:
    from finalturn._support.logger import logger

    logger("finalturn.providers").warning(
        "an image was left out: Bedrock takes png, jpeg, gif and webp, as bytes or from S3"
    )
