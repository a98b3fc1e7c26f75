"""Images as parts of a generateContent request."""

from __future__ import annotations

from typing import Any

import pytest

from finalturn._core.messages import ContentPart
from finalturn._providers.gemini.images import image_part


def inline(media_type: str, data: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": media_type, "data": data}}


def test_bytes_are_sent_as_they_are() -> None:
    assert image_part(ContentPart.image_base64("AA==", "image/png")) == inline("image/png", "AA==")


@pytest.mark.parametrize(
    ("url", "part"),
    [
        ("data:image/webp;base64,AA==", inline("image/webp", "AA==")),
        ("DATA:image/webp;x=y;BASE64,AA==", inline("image/webp", "AA==")),
        ("data:image/gif;base64,AA%3D%3D", inline("image/gif", "AA==")),
        ("data:image/svg+xml,%3Csvg%2F%3E", inline("image/svg+xml", "PHN2Zy8+")),
        ("data:;base64,AA==", inline("image/png", "AA==")),
    ],
)
def test_so_are_those_in_an_address(url: str, part: dict[str, Any]) -> None:
    assert image_part(ContentPart.image_url(url)) == part


@pytest.mark.parametrize(
    ("url", "media_type"),
    [
        ("https://x/a.PNG?size=1#b.gif", "image/png"),
        ("gs://bucket/a.jpg", "image/jpeg"),
        ("https://x/a.webp", "image/webp"),
        ("https://x/a", None),
        ("https://x.png/", None),
        ("http://[::1", None),
        ("data:image/png", None),
    ],
)
def test_what_is_elsewhere_has_the_type_that_its_address_tells(url: str, media_type: str | None) -> None:
    about = {"fileUri": url} if media_type is None else {"fileUri": url, "mimeType": media_type}
    assert image_part(ContentPart.image_url(url)) == {"fileData": about}


def test_or_its_own() -> None:
    image = ContentPart("image", url="https://x/a.png", media_type="image/heic")
    assert image_part(image)["fileData"]["mimeType"] == "image/heic"
