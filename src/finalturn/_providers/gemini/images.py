"""Images as parts of a generateContent request."""

from __future__ import annotations

from base64 import b64encode
from typing import Any
from urllib.parse import unquote, unquote_to_bytes, urlsplit

from finalturn._core.messages import ContentPart

# What the vendor names as types of images that its models see, by the endings of file names.
_TYPES = {
    "gif": "image/gif",
    "heic": "image/heic",
    "heif": "image/heif",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
}


def image_part(image: ContentPart) -> dict[str, Any]:
    """An image with its bytes, or with an address that the vendor fetches it from.

    Vertex AI wants to know the type of the latter: it is the image's ``media_type``, or told by the ending
    of the address.
    """
    if image.data is not None:
        return _inline(image.media_type, image.data)
    url = image.url or ""
    if url[:5].lower() == "data:" and "," in url:
        return _from_data_url(url[5:], image.media_type)
    media_type = image.media_type or _type_of(url)
    return {"fileData": {"fileUri": url} | ({"mimeType": media_type} if media_type else {})}


def _inline(media_type: str | None, data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type or "image/png", "data": data}}


def _from_data_url(rest: str, media_type: str | None) -> dict[str, Any]:
    about, _, data = rest.partition(",")
    named, *parameters = about.split(";")
    if parameters and parameters[-1].strip().lower() == "base64":
        return _inline(media_type or named, unquote(data) if "%" in data else data)
    return _inline(media_type or named, b64encode(unquote_to_bytes(data)).decode())


def _type_of(url: str) -> str | None:
    try:
        path = urlsplit(url).path
    except ValueError:
        return None
    return _TYPES.get(path.rpartition(".")[2].lower())
