"""What is shown of text with fences."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalturn.core.hold import JsonHold
from tests.core._hold_gate import Gate, array, check, mapping, run, scalar, ticket

ANSWER = '{"name": "SECRET", "count": 1}'
OTHER = '{"x": 1}'

SMALL = 1000


@pytest.mark.parametrize(
    "opening",
    [
        "```\n",
        "```json\n",
        "```JSON\r\n",
        "````Json\n",
        "   ```json\r",
        "\t``` json \n",
        "```jsonc\n",
        "```json5 \n\n ",
        "```json title=answer.json\n",
        "```json {1,3}\n",
        "```json {name}\n",
        "```{.json}\n",
        "```json:a.json\n\ufeff",
        "```",
        "```json",
        "``` json ",
        "```jsonl ",
    ],
)
@pytest.mark.parametrize("closing", ["\n```", "````", " \r\n  `````", "\n\n\t````"])
def test_fences_around_the_answer(opening: str, closing: str) -> None:
    if opening.strip().startswith("````"):
        closing += "`"
    gate = check(ticket, f"Hi\n\n{opening}{ANSWER}{closing}\n\nBye", "Hi\n\nBye")
    assert gate.asked == []
    text = f"Hi\n\n{opening}{OTHER}{closing}\n\nBye"
    gate = check(ticket, text, text)
    assert gate.asked == [OTHER]
    check(mapping, text, "Hi\n\nBye")


@pytest.mark.parametrize(
    ("make", "text", "expected"),
    [
        # Ticks in strings close nothing; too few ticks neither.
        (ticket, '```json\n{"name": "use ```py\\nx```", "y": "```"}\n```\nBye', "\nBye"),
        (ticket, '````\n{"name": "SECRET"}\n```\n````\nBye', "\nBye"),
        (ticket, '````\n{"x": 1}\n```\n````\nBye', '````\n{"x": 1}\n```\n````\nBye'),
        (ticket, '```\n{"x": 1}``{"name": "SECRET"}\n```\nBye', '```\n{"x": 1}``\n```\nBye'),
        # What follows the closing ticks flows, and may be a block.
        (ticket, f"```\n{ANSWER}\n``` Bye", " Bye"),
        (ticket, f"```\n{ANSWER}\n```{ANSWER}```json\n{ANSWER}```.", "."),
        # Fences of other languages are prose, and their lines are lines.
        (ticket, "```python\nx = 1\n```\nBye", "```python\nx = 1\n```\nBye"),
        (ticket, f"```js\n{ANSWER}\n```\nBye", "```js\n```\nBye"),
        (ticket, f"```js\n{OTHER}\n```\n{ANSWER}\nBye", f"```js\n{OTHER}\n```\nBye"),
        (ticket, f"```js\n```\n```\n{ANSWER}\n```\nBye", "```js\n```\nBye"),
        (ticket, f"````md\n```json\n{ANSWER}\n```\n````\nBye", "````md\n````\nBye"),
        (ticket, f"````md\n```\n{ANSWER}\n```\n````\nBye", "````md\n````\nBye"),
        (ticket, f"```md\n```py\nx\n```\n{ANSWER}\nBye", "```md\n```py\nx\n```\nBye"),
        (ticket, f"```sh\nls\n````  \n```\n{ANSWER}\n```\nBye", "```sh\nls\n````\nBye"),
        (ticket, f"```sh `x`\n```\n{ANSWER}\n```\nBye", "```sh `x`\nBye"),
        (ticket, "```", "```"),
        (ticket, "```js\n``` ", "```js\n``` "),
        (ticket, "```json", "```json"),
        (ticket, "```json ", "```json "),
        # Fences with something else than a value of the root's kind.
        (ticket, "```\n$ ls\n```\nBye", "```\n$ ls\n```\nBye"),
        (ticket, f"```\n$ cat\n{ANSWER}\n```\nBye", "```\n$ cat\n```\nBye"),
        (ticket, "```json\n[1]\n```\nBye", "```json\n[1]\n```\nBye"),
        (ticket, "```json\n```\nBye", "```json\n```\nBye"),
        (ticket, "```\n\n```\nBye", "```\n\n```\nBye"),
        (ticket, f"```json\n{{\n{ANSWER}\n```\nBye", "```json\n{\n```\nBye"),
        (ticket, f"```json\n{OTHER}\n{ANSWER}\n```\nBye", f"```json\n{OTHER}\n```\nBye"),
        (ticket, f"```json\n// {ANSWER}\n```\nBye", f"```json\n// {ANSWER}\n```\nBye"),
        (ticket, '```json\n{"x": oops}\n```\nBye', '```json\n{"x": oops}\n```\nBye'),
        (ticket, f"```json {OTHER} x\n{ANSWER}\n```\nBye", "\nBye"),
        (ticket, f"```json {OTHER}\n{ANSWER}\n```\nBye", f"```json {OTHER}\n```\nBye"),
        # Inline code.
        (ticket, f"`a` b\n``c`` d\n```e``` f\n{ANSWER}", "`a` b\n``c`` d\n```e``` f"),
        (ticket, "`", "`"),
        (ticket, "``\n", "``\n"),
        (ticket, f"```json``` is\n```\n{ANSWER}\n```", "```json``` is"),
        (ticket, f"```json is` it\n```\n{ANSWER}\n```", "```json is` it"),
        (ticket, f"``` `x` ```\n```\n{ANSWER}\n```", "``` `x` ```"),
        (ticket, f"```j` it\n```\n{ANSWER}\n```", "```j` it"),
        (ticket, f"Say ```json\n{ANSWER}\n```\n", "Say ```json\n```\n"),
        # Other roots.
        (array, "```json\n[1] \n```\nBye", "\nBye"),
        (array, '```json\n{"a": [\n1]}\n```', '```json\n{"a": [\n1]}\n```'),
        (array, "```[1]\n```", ""),
        (array, "```[link]\n[1]\n```", ""),
        (scalar, '```json\n"SECRET ``` "\n```\nBye', "\nBye"),
        (scalar, "```\n-1.5e3```\nBye", "\nBye"),
        (scalar, "```\n12\n```\nBye", "\nBye"),
        (scalar, "```\n12 monkeys\n```\nBye", "```\n12 monkeys\n```\nBye"),
        (scalar, "```\n1.2.3\n```\nBye", "```\n1.2.3\n```\nBye"),
        (scalar, "```\ntrue\n```\n```\nnull\n```\n```\nnotes\n```", "\n```\nnull\n```\n```\nnotes\n```"),
        (scalar, "```json true\n```\n", "\n"),
        (scalar, '```json title="x"\n"SECRET"\n```\n', "\n"),
        (scalar, '```json "x\n"SECRET"\n```\n', "\n"),
        # The end of the call.
        (ticket, '```json\n{"nam', '```json\n{"nam'),
        (ticket, '```json\n{"name": "SEC', ""),
        (ticket, f"```json\n{ANSWER}", ""),
        (ticket, f"```json\n{ANSWER}\n``", ""),
        (ticket, f"```json\n{ANSWER}\n``` ", " "),
        (ticket, f"```json\n{OTHER}\n", f"```json\n{OTHER}\n"),
        (mapping, f"```json\n{OTHER}", ""),
        (mapping, f"```json\n{OTHER}\n ", "\n "),
        (mapping, f"```json\n{OTHER}\n``", ""),
        (mapping, "```json\n{}\n``", "```json\n{}\n``"),
        (scalar, "```json\n12", "```json\n12"),
    ],
)
def test_what_is_shown(make: Callable[[], Gate], text: str, expected: str) -> None:
    check(make, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('```json\n{"name": oops, "y": "SECRET"}\n```\nBye', "\nBye"),
        ('```json\n{"name": oops, "y": "SECRET"}``` \t\r\nBye', " \t\r\nBye"),
        ('```json\n{"name": oops}}\n\nSECRET\n\n```\nBye', "\nBye"),
        ('```json\n{"name": 1}\n{"name": "SECRET"}\n```\nBye', "\nBye"),
        ('```json\n{"name": 1} // SECRET\n```\nBye', "\nBye"),
        ('```json\n{"name": 1}`` SECRET\n```\nBye', "\nBye"),
        ('```json {"name": oops\n"SECRET"}\n```\nBye', "\nBye"),
        ('```json\n{"name": "a\n```py\nx\n```\nSECRET"}\n```\nBye', "\nBye"),
        ('````\n{"name": oops\n```\nSECRET ````x ``` `\n````\nBye', "\nBye"),
        ('```\n{"name": oops ```\n`x`\n\nBye', "\n`x`\n\nBye"),
        ('```\n{"name": oops "SECRET"\n\nnever closed', ""),
        ('```\n{"name": oops "SECRET"\n``` ', " "),
    ],
)
def test_a_failed_attempt_that_is_no_json_either(text: str, expected: str) -> None:
    check(ticket, "Hi\n" + text, "Hi" + expected)


@pytest.mark.parametrize(
    ("make", "text", "asked"),
    [
        (mapping, '{"a": 1}\n{"b": 2}', ['{"a": 1}']),
        (mapping, '{"a": 1} // one', ['{"a": 1}']),
        (mapping, '{"a": 1}``', ['{"a": 1}']),
        (array, "[1]\nnote", ["[1]"]),
        (array, "[1]\n``", ["[1]"]),
    ],
)
def test_a_complete_answer_is_hidden_whatever_follows_it(
    make: Callable[[], Gate], text: str, asked: list[str]
) -> None:
    assert check(make, f"```\n{text}\n```\nBye", "\nBye").asked == asked


@pytest.mark.parametrize(
    ("make", "text", "asked"),
    [
        (mapping, "{}\n{}", ["{}", "{}"]),
        (array, "[1] note", []),
        (array, "[1]``", []),
        (scalar, '"a"\nb', []),
    ],
)
def test_what_is_followed_by_more_is_no_answer(make: Callable[[], Gate], text: str, asked: list[str]) -> None:
    text = f"```\n{text}\n```\nBye"
    assert check(make, text, text).asked == asked


class TestWhenItIsDecided:
    def feed_all(self, gate: Gate, steps: list[tuple[str, str]]) -> None:
        hold = JsonHold(gate)
        assert [(piece, hold.feed(piece)) for piece, _ in steps] == steps

    def test_ticks_in_pieces(self) -> None:
        self.feed_all(
            ticket(), [("Hi\n``", "Hi"), ("`", ""), ("js", ""), ("on\n", ""), ('{"x"', ""), (":1}", "")]
        )
        self.feed_all(ticket(), [("``", ""), ("x", "``x")])

    def test_other_languages_flow_at_once(self) -> None:
        self.feed_all(ticket(), [("```", ""), ("j", ""), ("a", "```ja"), ("va\n", "va"), ("int", "\nint")])

    def test_it_is_released_at_the_character_that_cannot_be_the_value(self) -> None:
        self.feed_all(
            ticket(), [("```\n", ""), ("[", "```\n["), ("1]\n", "1]"), ("```", ""), ("\n", "\n```")]
        )

    def test_it_is_settled_when_the_closing_ticks_end(self) -> None:
        self.feed_all(ticket(), [("```\n{}\n```", ""), ("`", ""), ("\n", "```\n{}\n````"), ("Bye", "\nBye")])


class TestTheLimit:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("finalturn.core.hold._block.LIMIT", SMALL)

    def test_an_undecided_fence_is_released_when_full(self) -> None:
        start = '```json\n{"x": "'
        text = start + "a" * SMALL + '"}\n'
        assert run(ticket(), [text + "```\nBye"]) == text + "```\nBye"
        assert run(ticket(), [text + f"```\n```\n{ANSWER}\n```\nBye"]) == text + "```\nBye"
        hold = JsonHold(ticket())
        assert hold.feed(text[: SMALL - 1]) == ""
        assert hold.feed("a") == text[:SMALL]

    def test_a_complete_answer_stays_hidden(self) -> None:
        text = f"```\n{OTHER}" + " " * SMALL
        assert run(mapping(), [text + "\n```\nBye"]) == "\nBye"
        assert run(ticket(), [text + "\n```\nBye"]) == text + "\n```\nBye"

    def test_a_failed_attempt_is_hidden_however_long_it_is(self) -> None:
        for value in ('"' + "a" * SMALL + '"', "oops" * SMALL):
            text = f'```\n{{"name": {value}}}\n```\nBye'
            assert run(ticket(), [text]) == "\nBye"

    def test_an_opening_line_without_an_end_is_released(self) -> None:
        for text in ("`" * (SMALL + 9), "```json" + "c" * SMALL, "```json " + "c " * SMALL):
            assert run(ticket(), [text, " x"]) == text + " x"
