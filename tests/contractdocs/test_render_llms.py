"""What a language model reads."""

from __future__ import annotations

import re

import pytest

from tests.contractdocs._plant import PROJECT
from tools.contractdocs.render.llms import llms_files, plain_page

HOME = """\
---
description: To begin, with little.
---

# finalturn

Up to <!-- value: x -->16<!-- end -->.
"""
CONTRACT = """\
---
description: What is promised.
---

# The contract

```html
<!-- kept -->
```
"""
NAMES = """\
---
description: To find a name.
---

<!-- Generated from the code by `make docs`. Edit the code. -->

# Names

<p class="ft-level"><span class="ft-badge ft-stable">stable</span> since 0.1.0</p>

::: finalturn.StreamHandler
"""
PAGES = {
    "mkdocs.yml": """\
nav:
  - Home: index.md
  - The contract:
      - contract/index.md
  - Names: names.md
""",
    "docs/index.md": HOME,
    "docs/contract/index.md": CONTRACT,
    "docs/names.md": NAMES,
}
PROJECT_WITH = PROJECT.with_files(PAGES)


def test_each_page_is_a_task() -> None:
    text = llms_files(PROJECT_WITH)["docs/llms.txt"]
    assert "\n- To begin, with little: read [Home](index.md).\n" in text
    assert "\n- [The contract](contract/index.md): What is promised.\n" in text
    assert "\n- To find a name: read [Names](names.md).\n" in text


def test_the_primer_runs(capsys: pytest.CaptureFixture[str]) -> None:
    source = re.search(r"```python\n(.*?)```", llms_files(PROJECT_WITH)["docs/llms.txt"], re.DOTALL)
    assert source is not None
    exec(source[1], {})
    said = re.findall(r"^#> (.*)$", source[1], re.MULTILINE)
    assert capsys.readouterr().out.splitlines() == said
    assert len(said) == 2


def test_all_pages_stand_in_the_order_of_the_navigation() -> None:
    text = llms_files(PROJECT_WITH)["docs/llms-full.txt"]
    assert re.findall(r"^Page: (.*)$", text, re.MULTILINE) == [
        "index.md",
        "contract/index.md",
        "names.md",
        "README.md",
    ]


def test_pages_read_as_on_the_site() -> None:
    assert plain_page("index.md", PROJECT_WITH) == "# finalturn\n\nUp to 16.\n"
    assert plain_page("contract/index.md", PROJECT_WITH) == "# The contract\n\n```html\n<!-- kept -->\n```\n"


def test_a_name_is_shown_with_its_signature_docstring_and_members() -> None:
    page = plain_page("names.md", PROJECT_WITH)
    assert page.startswith("# Names\n\nstable since 0.1.0\n\n### finalturn.StreamHandler\n\n```python\n")
    assert "Gets every piece of shown content" in page
    assert ":::" not in page


def test_a_page_that_is_not_there_is_left_out() -> None:
    files = llms_files(PROJECT_WITH.with_file("docs/names.md", None))
    assert "names.md" not in files["docs/llms.txt"]


def test_it_begins_with_what_assistants_are_told() -> None:
    text = llms_files(PROJECT_WITH)["docs/llms-full.txt"]
    assert text.startswith("# finalturn, for coding assistants\n")
    assert "](contract/streaming.md#" in text
    assert "## The contract" not in text.partition("\n---\n")[0]
    assert "<!--" not in text.partition("\n---\n")[0]


def test_a_picture_is_what_it_shows() -> None:
    page = """\
# Home

<picture>
<source media="(prefers-reduced-motion: reduce)" srcset="still.svg">
<img src="film.svg" alt="A terminal.">
</picture>

![A page](light.png#only-light)
![A page](dark.png#only-dark)
{ .side-by-side }

```markdown
![kept](as.png)
```
"""
    project = PROJECT_WITH.with_file("docs/index.md", page)
    assert (
        plain_page("index.md", project)
        == """\
# Home

(Picture: A terminal.)

(Picture: A page)

```markdown
![kept](as.png)
```
"""
    )
