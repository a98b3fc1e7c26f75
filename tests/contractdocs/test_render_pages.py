"""The pages of the contract and the reference."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

from finalturn._core.turn import TABLE, Phase
from finalturn._providers.openai_chat.profiles import PROFILES
from finalturn.contract import CLAUSES, HELD_JSON, RESULT_IS_LAST, Deprecation
from tests.contractdocs._plant import PROJECT
from tools.contractdocs.modules import PUBLIC_MODULES
from tools.contractdocs.render.contract import clause_pages, clause_path, contract_json, index_page
from tools.contractdocs.render.machine import diagram, machine_page
from tools.contractdocs.render.page import LAYOUT
from tools.contractdocs.render.pages import leaks_page, profiles_table, run, trace_page
from tools.contractdocs.render.reference import reference_pages

PAGES = clause_pages(PROJECT)
MACHINE = machine_page(PROJECT)
REFERENCE = reference_pages(PROJECT)


def test_each_clause_has_its_section() -> None:
    for clause in CLAUSES:
        page, _, anchor = clause_path(clause).partition("#")
        section = _section(PAGES[f"docs/{page}"], anchor)
        badge = f'<span class="ft-badge ft-{clause.stability}">{clause.stability}</span> since {clause.since}'
        rules = [f"machine.md#rule-{rule.name}" for rule in TABLE if clause.id in rule.upholds]
        shown = [*(surface.value for surface in clause.surfaces), *clause.kept_by]
        wanted = [clause.statement, clause.why, badge, "`test_", *rules, *(f"`{one}`" for one in shown)]
        assert [words for words in wanted if words not in section] == [], clause.id
        assert ("can decide it" in section) is (clause.check is not None), clause.id


def test_a_clause_without_proof_says_so() -> None:
    files = {name: text for name, text in PROJECT.files.items() if not name.startswith("tests/")}
    page = clause_pages(replace(PROJECT, files=files).sharing(PROJECT))["docs/contract/streaming.md"]
    assert "Proved by no test" in _section(page, "held-json")


def test_a_deprecated_and_revised_clause_says_so() -> None:
    gone = replace(HELD_JSON, revised="1.1.0", deprecation=Deprecation("1.2.0", "2.0.0", "result-is-last"))
    section = _section(clause_pages(PROJECT.with_clause(gone))["docs/contract/streaming.md"], "held-json")
    assert ", revised 1.1.0" in section
    assert '!!! warning "Deprecated since 1.2.0"\n    It will be gone in 2.0.0. [result-is-last]' in section


def test_the_first_page_links_every_clause() -> None:
    page = index_page(PROJECT)
    links = [f"]({clause_path(clause).removeprefix('contract/')})" for clause in CLAUSES]
    assert [link for link in links if page.count(link) != 1] == []


def test_every_rule_has_its_row() -> None:
    assert [rule.name for rule in TABLE if f"`{rule.name}`{{ #rule-{rule.name} }}" not in MACHINE] == []
    assert "is ignored: the turn is over; closing it again changes nothing." in MACHINE


def test_the_diagram_draws_every_way_through_the_table() -> None:
    svg = re.search(r"<svg.*</svg>", diagram(TABLE), re.DOTALL)
    assert svg is not None
    tree = ElementTree.fromstring(svg[0])
    said = tree.attrib["aria-label"]
    for rule in TABLE:
        if rule.to not in (Phase.FAILED, Phase.CANCELLED):
            assert f"{rule.phase.value} to {rule.to.value}" in said
    names = {text.text for text in tree.iter("text")}
    assert {phase.value for phase in Phase} <= names
    assert {"start", "skip", "finalize", "from all but ready"} <= names
    assert "\n\n" not in diagram(TABLE)


def test_every_arrow_has_a_layout() -> None:
    drawn = {
        f"{rule.phase.name} {rule.to.name}"
        for rule in TABLE
        if rule.to not in (Phase.FAILED, Phase.CANCELLED)
    }
    assert drawn == LAYOUT["arrows"].keys()
    assert LAYOUT["places"].keys() == LAYOUT["phases"].keys() == set(Phase.__members__)


def test_an_arrow_without_a_layout_is_a_straight_line() -> None:
    rule = replace(TABLE[0], name="leap", to=Phase.DONE)
    assert 'd="M180 47 L180 503"' in diagram((*TABLE, rule))
    assert ">leap</text>" in diagram((*TABLE, rule))


def test_the_contract_for_programs_has_all_of_it() -> None:
    found = json.loads(contract_json(PROJECT))
    assert [one["id"] for one in found["clauses"]] == [clause.id for clause in CLAUSES]
    assert [one["name"] for one in found["rules"]] == [rule.name for rule in TABLE]
    last = next(one for one in found["clauses"] if one["id"] == "result-is-last")
    assert last["statement"] == RESULT_IS_LAST.statement
    assert last["page"] == "contract/streaming.md#result-is-last"
    assert "finalturn.AgentResult" in last["about"]
    assert "saved" in last["rules"]
    assert {"file": "tests/contract/test_ends.py", "name": "test_nothing_follows_the_result"} in last["tests"]
    described = index_page(PROJECT)
    assert all(f"`{field}`" in described for field in (*last, *found["rules"][0]))


def test_the_leak_matrix_comes_from_a_run() -> None:
    leaks = run()
    assert leaks["a tool call, then the JSON unasked"]["final_turn_only"] == "shown, then `structured_reuse`"
    assert not any("THE " in cell for cells in leaks.values() for cell in cells.values())
    page = leaks_page(leaks)
    assert all(name in page for name in leaks)


def test_every_record_and_field_of_a_trace_is_described() -> None:
    page = trace_page(PROJECT)
    assert "### tool_outcome_recorded\n\nOne call of the batch has its outcome." in page
    assert "- `place`, an integer: its 0-based place in the batch\n" in page


def test_every_public_name_is_on_its_module_s_page() -> None:
    constants = {clause.id.upper().replace("-", "_") for clause in CLAUSES}
    for module in PUBLIC_MODULES:
        page = REFERENCE[f"docs/reference/{module.rpartition('.')[2]}.md"]
        names = {one.name for one in PROJECT.api.symbols.values() if one.parent == module}
        clauses = constants if module == "finalturn.contract" else set[str]()
        assert names
        assert [name for name in names - clauses if f"\n::: {module}.{name}\n" not in page] == []
        assert [name for name in clauses if f"`{name}`" not in page] == []


def test_the_levels_of_names_and_their_fields_are_shown() -> None:
    page = REFERENCE["docs/reference/finalturn.md"]
    before = page.partition("\n::: finalturn.StructuredOutputConfig\n")[0].splitlines()[-1]
    assert before.startswith('<p class="ft-level"><span class="ft-badge ft-stable">stable</span> since ')
    assert '<br><code>hold_json</code> <span class="ft-badge ft-beta">beta</span> since ' in before


def test_a_clauses_page_says_what_is_not_proved_and_why() -> None:
    page = clause_pages(PROJECT)["docs/contract/streaming.md"]
    section = page.partition("## no-doubled-text\n")[2].partition("\n## ")[0]
    assert (
        "- Not proved on `chunks`, `tokens`, `http` through `http-stream`, `ag-ui`, `ai-sdk` with" in section
    )
    assert (
        "- Not proved on `http` through `http-chat` with any kind of provider: A turn that fails" in section
    )


def test_every_module_is_laid_out_and_no_name_is_left_over() -> None:
    assert LAYOUT["modules"].keys() == set(PUBLIC_MODULES)
    assert [name for name, page in REFERENCE.items() if "\n## More\n" in page] == []


def test_the_agent_has_one_signature_and_a_table_of_its_overloads() -> None:
    shown = re.findall(
        r"^::: (\S+)\n {4}options: \{ show_overloads: false \}$", _all_reference(), re.MULTILINE
    )
    assert shown == ["finalturn.Agent"]
    agent = PROJECT.api.symbols["finalturn.Agent"]
    rows = re.findall(r"^\| (.+) \| ``(\w+)`` \|$", agent.docstring, re.MULTILINE)
    told: list[str] = re.findall(r"-> Agent\[(\w+)\]", agent.signature)
    assert [parsed.replace("T", "S") for _, parsed in rows[1:]] == told


def _all_reference() -> str:
    return "\n".join(REFERENCE.values())


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
