"""Settings that make the checks strict, and what the site loads from elsewhere."""

from __future__ import annotations

import pytest

from tests.contractdocs._plant import PROJECT, planted

STYLES = "docs/assets/stylesheets/finalturn.css"


@pytest.mark.parametrize("code", ["FT69", "FT6A"])
def test_the_repository_as_it_is(code: str) -> None:
    assert planted(code, PROJECT) == []


@pytest.mark.parametrize(
    ("old", "new", "name", "found", "wanted"),
    [
        ("fail_under = 100", "fail_under = 80", "tool.coverage.report.fail_under", "80", "100"),
        (
            'filterwarnings = ["error"]',
            "filterwarnings = []",
            "tool.pytest.filterwarnings",
            "[]",
            "['error']",
        ),
        ("strict_markers = true", "strict_markers = false", "tool.pytest.strict_markers", "False", "True"),
    ],
)
def test_a_setting_that_was_loosened(old: str, new: str, name: str, found: str, wanted: str) -> None:
    project = PROJECT.edited("pyproject.toml", f"\n{old}", f"\n{new}")
    assert planted("FT69", project) == [
        f"pyproject.toml:{project.line_of('pyproject.toml', new)} FT69 loosened-setting: {name} is {found};"
        f" the checks are strict with {wanted} -> set it back"
    ]


@pytest.mark.parametrize(("old", "new"), [("strict: true", "strict: false"), ("font: false", "font: true")])
def test_a_site_that_is_not_strict(old: str, new: str) -> None:
    project = PROJECT.edited("mkdocs.yml", old, new)
    name = old.partition(":")[0]
    assert planted("FT69", project) == [
        f"mkdocs.yml:{project.line_of('mkdocs.yml', new)} FT69 loosened-setting: {name} is"
        f" {new.partition(': ')[2]!r}; the checks are strict with {old.partition(': ')[2]!r} -> set it back"
    ]


def test_a_script_from_elsewhere() -> None:
    address = "https://cdn.example.com/a.js"
    text = PROJECT.files["mkdocs.yml"] + f"\nextra_javascript:\n  - {address}\n"
    project = PROJECT.with_file("mkdocs.yml", text)
    assert planted("FT6A", project) == [
        f"mkdocs.yml:{project.line_of('mkdocs.yml', address)} FT6A external-request: the site loads {address}"
        " from elsewhere -> keep a copy in docs/assets, or leave it out"
    ]


def test_a_style_sheet_that_loads_a_font() -> None:
    project = PROJECT.with_file(STYLES, '@import url("//fonts.example.com/a.css");\n')
    assert planted("FT6A", project) == [
        f"{STYLES}:1 FT6A external-request: the site loads //fonts.example.com/a.css from elsewhere"
        " -> keep a copy in docs/assets, or leave it out"
    ]
