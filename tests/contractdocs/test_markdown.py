"""What a document holds, with its lines."""

from __future__ import annotations

from tools.contractdocs.markdown import anchors, read, without_generated

PAGE = """\
---
description: To see.
---

# A `page` {#top}

One `code`. Two [links](a.md#b) and <!-- covers: x -->
![a picture](c.svg), up to <!-- value: tools -->16<!-- end -->.

!!! note "A note"
    Indented `text` is read.

| a | b |
|---|---|
| `x` | [y](d.md) |

<!-- generated: block -->

Not `read`, [nor this](gone.md).

<!-- end -->

```python title="a.py"
`not` a [link](gone.md)
```

Last.
"""


def test_all_parts_of_a_page() -> None:
    page = read(PAGE)
    assert page.front == {"description": "To see."}
    assert page.headings == ["A `page` {#top}"]
    assert page.fences == [(23, "python", "`not` a [link](gone.md)\n")]
    assert page.links == [(7, "a.md#b"), (8, "c.svg"), (15, "d.md")]
    assert page.spans == [(5, "page"), (7, "code"), (11, "text"), (15, "x")]
    assert page.comments == [(7, "covers: x")]


def test_sentences_are_plain_and_know_their_lines() -> None:
    found = [(one.line, one.text, one.links) for one in read(PAGE).sentences]
    assert found == [
        (1, "To see.", []),
        (5, "A `page` {#top}", []),
        (7, "One `code`.", []),
        (7, "Two links and a picture, up to {tools}.", ["a.md#b", "c.svg"]),
        (10, '!!! note "A note" Indented `text` is read.', []),
        (13, "a | b", []),
        (15, "`x` | y", ["d.md"]),
        (27, "Last.", []),
    ]


def test_what_is_generated_keeps_its_lines() -> None:
    assert without_generated(PAGE).count("\n") == PAGE.count("\n")


def test_anchors_are_those_of_a_forge() -> None:
    assert anchors("# A & `b`\n\n## C\n\n```\n# no\n```\n") == {"a--b", "c"}
