"""The pages of the contract and the reference."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest
from jinja2 import UndefinedError

from finalturn._core.turn import TABLE, Phase
from finalturn._providers.openai_chat.profiles import PROFILES
from finalturn.contract import CLAUSES, HELD_JSON, RESULT_IS_LAST, Deprecation
from tests.contractdocs._plant import PROJECT, Planted
from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.render.contract import clause_path, contract_files
from tools.contractdocs.render.page import LAYOUT
from tools.contractdocs.render.pages import leaks_page, profiles_table, run, trace_page
from tools.contractdocs.render.reference import reference_pages

INDEX, MACHINE, STREAMING = (f"docs/contract/{name}.md" for name in ("index", "machine", "streaming"))


@cache
def pages() -> dict[str, str]:
    return contract_files(PROJECT)


@cache
def reference() -> dict[str, str]:
    return reference_pages(PROJECT)


def with_rule(**changes: Any) -> Planted:
    """The project with one more rule in its table."""
    return replace(PROJECT, table=(*TABLE, replace(TABLE[0], name="leap", **changes))).sharing(PROJECT)


def test_each_clause_has_its_section() -> None:
    for clause in CLAUSES:
        page, _, anchor = clause_path(clause).partition("#")
        section = _section(pages()[f"docs/{page}"], anchor)
        badge = f'<span class="ft-badge ft-{clause.stability}">{clause.stability}</span> since {clause.since}'
        rules = [f"machine.md#rule-{rule.name}" for rule in TABLE if clause.id in rule.upholds]
        shown = [*(surface.value for surface in clause.surfaces), *clause.kept_by]
        wanted = [clause.statement, clause.why, badge, "`test_", *rules, *(f"`{one}`" for one in shown)]
        assert [words for words in wanted if words not in section] == [], clause.id
        assert ("can decide it" in section) is (clause.check is not None), clause.id


def test_a_clause_without_proof_says_so() -> None:
    files = {name: text for name, text in PROJECT.files.items() if not name.startswith("tests/")}
    page = contract_files(replace(PROJECT, files=files).sharing(PROJECT))[STREAMING]
    assert "Proved by no test" in _section(page, "held-json")


def test_a_deprecated_and_revised_clause_says_so() -> None:
    gone = replace(HELD_JSON, revised="1.1.0", deprecation=Deprecation("1.2.0", "2.0.0", "result-is-last"))
    section = _section(contract_files(PROJECT.with_clause(gone))[STREAMING], "held-json")
    assert ", revised 1.1.0" in section
    assert '!!! warning "Deprecated since 1.2.0"\n    It will be gone in 2.0.0. [result-is-last]' in section


def test_the_first_page_links_every_clause() -> None:
    page = pages()[INDEX]
    links = [f"]({clause_path(clause).removeprefix('contract/')})" for clause in CLAUSES]
    assert [link for link in links if page.count(link) != 1] == []


def test_every_rule_has_its_row() -> None:
    assert [
        rule.name for rule in TABLE if f"`{rule.name}`{{ #rule-{rule.name} }}" not in pages()[MACHINE]
    ] == []
    assert "is ignored: the turn is over; closing it again changes nothing." in pages()[MACHINE]


def test_the_diagram_draws_every_way_through_the_table() -> None:
    svg = re.search(r"<svg.*</svg>", pages()[MACHINE], re.DOTALL)
    assert svg is not None and "\n\n" not in svg[0]
    tree = ElementTree.fromstring(svg[0])
    drawn = re.findall(r"(\w+) to (\w+)", tree.attrib["aria-label"])
    ends = (Phase.FAILED, Phase.CANCELLED)
    assert set(drawn) == {(rule.phase.value, rule.to.value) for rule in TABLE if rule.to not in ends}
    assert sum("arrow" in path.get("class", "") for path in tree.iter("path")) == len(drawn)
    names = {text.text for text in tree.iter("text")}
    assert {phase.value for phase in Phase} <= names
    assert {"start", "saved", "finalize", "from all but ready", "from every phase"} <= names
    assert LAYOUT["phases"].keys() == set(Phase.__members__)


def test_an_arrow_says_which_rules_it_is() -> None:
    more = contract_files(with_rule())[MACHINE]
    alone = f">{TABLE[0].name}</text>"
    assert alone in pages()[MACHINE] and alone not in more and ">2</text>" in more


def test_the_drawing_has_the_arrows_of_the_table_and_no_others() -> None:
    with pytest.raises(LookupError, match="has no arrow for ready_done"):
        contract_files(with_rule(to=Phase.DONE))
    lacks = tuple(rule for rule in TABLE if rule.to is not Phase.DONE)
    with pytest.raises(UndefinedError, match="saving_done"):
        contract_files(replace(PROJECT, table=lacks).sharing(PROJECT))


def test_the_contract_for_programs_has_all_of_it() -> None:
    found = json.loads(pages()["docs/contract.json"])
    assert [one["id"] for one in found["clauses"]] == [clause.id for clause in CLAUSES]
    assert [one["name"] for one in found["rules"]] == [rule.name for rule in TABLE]
    last = next(one for one in found["clauses"] if one["id"] == "result-is-last")
    assert last["statement"] == RESULT_IS_LAST.statement
    assert last["page"] == "contract/streaming.md#result-is-last"
    assert "finalturn.AgentResult" in last["about"]
    assert "saved" in last["rules"]
    assert {"file": "tests/contract/test_ends.py", "name": "test_nothing_follows_the_result"} in last["tests"]
    described = pages()[INDEX]
    assert all(f"`{field}`" in described for field in (*last, *found["rules"][0]))


def test_the_leak_matrix_comes_from_a_run() -> None:
    leaks = run()
    assert leaks["a tool call, then the JSON unasked"]["final_turn_only"] == "shown, then `structured_reuse`"
    assert not any("THE " in cell for cells in leaks.values() for cell in cells.values())
    page = leaks_page(leaks)
    assert all(name in page for name in leaks)


def test_every_record_and_field_of_a_trace_is_described() -> None:
    page = trace_page()
    assert "### tool_outcome_recorded\n\nOne call of the batch has its outcome." in page
    assert "- `place`, an integer: its 0-based place in the batch\n" in page


def test_every_public_name_is_on_its_module_s_page() -> None:
    constants = {clause.id.upper().replace("-", "_") for clause in CLAUSES}
    for module in PUBLIC_MODULES:
        page = reference()[f"docs/reference/{module.rpartition('.')[2]}.md"]
        names = {one.name for one in PROJECT.api.symbols.values() if one.parent == module}
        clauses = constants if module == "finalturn.contract" else set[str]()
        assert names
        assert [name for name in names - clauses if f"\n::: {module}.{name}\n" not in page] == []
        assert [name for name in clauses if f"`{name}`" not in page] == []


def test_the_levels_of_names_and_their_fields_are_shown() -> None:
    page = reference()["docs/reference/finalturn.md"]
    before = page.partition("\n::: finalturn.StructuredOutputConfig\n")[0].splitlines()[-1]
    assert before.startswith('<p class="ft-level"><span class="ft-badge ft-stable">stable</span> since ')
    assert '<br><code>hold_json</code> <span class="ft-badge ft-beta">beta</span> since ' in before


def test_a_clauses_page_says_what_is_not_proved_and_why() -> None:
    page = pages()[STREAMING]
    section = page.partition("## no-doubled-text\n")[2].partition("\n## ")[0]
    assert (
        "- Not proved on `chunks`, `tokens`, `http` through `http-stream`, `ag-ui`, `ai-sdk` with" in section
    )
    assert (
        "- Not proved on `http` through `http-chat` with any kind of provider: A turn that fails" in section
    )


def test_every_module_is_laid_out_and_no_name_is_left_over() -> None:
    assert LAYOUT["modules"].keys() == set(PUBLIC_MODULES)
    assert [name for name, page in reference().items() if "\n## More\n" in page] == []


def test_the_agent_has_one_signature_and_a_table_of_its_overloads() -> None:
    shown = re.findall(
        r"^::: (\S+)\n {4}options: \{ show_overloads: false \}$", _all_reference(), re.MULTILINE
    )
    assert shown == ["finalturn.Agent", "finalturn.Tool"]
    agent = PROJECT.api.symbols["finalturn.Agent"]
    rows = re.findall(r"^\| (.+) \| ``(\w+)`` \|$", agent.docstring, re.MULTILINE)
    told: list[str] = re.findall(r"-> Agent\[(\w+), None\]", agent.signature)
    assert [parsed.replace("T", "S") for _, parsed in rows[1:]] == told
    assert told == re.findall(r"-> Agent\[(\w+), DepsT\]", agent.signature)


def _all_reference() -> str:
    return "\n".join(reference().values())


def test_the_layout_names_what_there_is() -> None:
    groups = [(module, one.get("groups", {}).values()) for module, one in LAYOUT["modules"].items()]
    names = [f"{module}.{name}" for module, those in groups for group in those for name in group]
    assert [name for name in names if name not in PROJECT.api.symbols] == []


def test_each_profile_is_a_row() -> None:
    rows = profiles_table().splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == [f"`{name}`" for name in PROFILES]


def test_a_row_says_where_the_key_is_and_what_the_server_lacks() -> None:
    rows = profiles_table()
    assert (
        "| Ollama | `ollama` | `http://localhost:11434/v1` | `OLLAMA_API_KEY`, if there is one |"
        " without tools | `tool_choice` |" in rows
    )
    assert "| the value of `AZURE_OPENAI_ENDPOINT` | `AZURE_OPENAI_API_KEY` | beside tools, too |" in rows
    assert "| `GROQ_API_KEY` | no |" in rows


def _section(page: str, anchor: str) -> str:
    return page.partition(f"\n## {anchor}\n")[2].partition("\n## ")[0]
