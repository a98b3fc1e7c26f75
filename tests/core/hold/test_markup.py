"""What is shown of text with fences."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalturn._core.hold import JsonHold
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
        (ticket, '````\n{"name": "SECRET"}\n```\n````\nBye', "````\n```\n````\nBye"),
        (ticket, '````\n{"x": 1}\n```\n````\nBye', '````\n{"x": 1}\n```\n````\nBye'),
        (ticket, '```\n{"x": 1}``{"name": "SECRET"}\n```\nBye', '```\n{"x": 1}``\n```\nBye'),
        # What follows the closing ticks flows, and may be a block.
        (ticket, f"```\n{ANSWER}\n``` Bye", " Bye"),
        (ticket, f"```\n{ANSWER}\n```{ANSWER}```json\n{ANSWER}```.", "."),
        # Fences of other languages are prose, and their lines are lines.
        (ticket, "```python\nx = 1\n```\nBye", "```python\nx = 1\n```\nBye"),
        (ticket, f"```js\n{ANSWER}\n```\nBye", "\nBye"),
        (ticket, f"```js\nx = {ANSWER}\n```\n{ANSWER}\nBye", "```js\nx =\n```\nBye"),
        (ticket, f"Say ```js x = {ANSWER}``` and `{ANSWER}`, yes", "Say ```js x =``` and, yes"),
        (ticket, f"```js\n{OTHER}\n```\n{ANSWER}\nBye", f"```js\n{OTHER}\n```\nBye"),
        (ticket, f"```js\n```\n```\n{ANSWER}\n```\nBye", "```js\n```\nBye"),
        (ticket, f"````md\n```json\n{ANSWER}\n```\n````\nBye", "\nBye"),
        (ticket, f"````md\nx\n```json\n{ANSWER}\n```\n````\nBye", "````md\nx\n````\nBye"),
        (ticket, f"````md\n```\n{ANSWER}\n```\n````\nBye", "\nBye"),
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
        (ticket, f"```json\n// {ANSWER}\n```\nBye", "```json\n//\n```\nBye"),
        (ticket, '```json\n{"x": oops}\n```\nBye', '```json\n{"x": oops}\n```\nBye'),
        (ticket, f"```json {OTHER} x\n{ANSWER}\n```\nBye", f"```json {OTHER} x\n```\nBye"),
        (ticket, f"```json {OTHER}\n{ANSWER}\n```\nBye", f"```json {OTHER}\n```\nBye"),
        # Inline code.
        (ticket, f"`a` b\n``c`` d\n```e``` f\n{ANSWER}", "`a` b\n``c`` d\n```e``` f"),
        (ticket, "`", "`"),
        (ticket, "``\n", "``\n"),
        (ticket, f"```json``` is\n```\n{ANSWER}\n```", "```json``` is"),
        (ticket, f"```json is` it\n```\n{ANSWER}\n```", "```json is` it"),
        (ticket, f"``` `x` ```\n```\n{ANSWER}\n```", "``` `x` ```"),
        (ticket, f"```j` it\n```\n{ANSWER}\n```", "```j` it"),
        (ticket, f"Say ```json\n{ANSWER}\n```\n", "Say\n"),
        (ticket, f"Say ```\nx```\n{ANSWER}\n", "Say ```\nx```\n"),
        (ticket, f"Say ```\n\nx\n```\n```\n{ANSWER}\n```\n", "Say ```\n\nx\n```\n"),
        (ticket, f"`{ANSWER}`", ""),
        (ticket, f"see `{ANSWER}` please", "see please"),
        (ticket, f"see `` {ANSWER} `` or ` {ANSWER} ` please", "see or please"),
        (ticket, f"It is ```json {ANSWER} ``` ok?", "It is ok?"),
        (ticket, f"It is ```{ANSWER}```.", "It is."),
        (ticket, f"`x` {ANSWER} `y` ``z` {ANSWER}`` `", "`x` `y` ``z``` `"),
        (ticket, f"`x {ANSWER}` `{ANSWER} y`", "`x` ` y`"),
        (ticket, f"`x\n`{ANSWER}` y", "`x y"),
        (ticket, f"`{OTHER}` and ``", f"`{OTHER}` and ``"),
        (ticket, f"see `{ANSWER}", "see"),
        (ticket, f"see `{ANSWER} ", "see "),
        (ticket, f"```\n{ANSWER}\nThat is it.\n```\nBye", "```\nThat is it.\n```\nBye"),
        (ticket, f"```\n{ANSWER}\n{ANSWER}\n```\nBye", "\nBye"),
        # Fences of tildes, and in lists and quotations.
        (ticket, f"~~~json\n{ANSWER}\n~~~\nBye", "\nBye"),
        (ticket, f"~~~\nx\n```\n~~~\n~~~\n{ANSWER}\n~~~", "~~~\nx\n```\n~~~"),
        (ticket, f"~5 ~~no~~ ~~~ {ANSWER}\n~ ~~", "~5 ~~no~~ ~~~\n~ ~~"),
        (ticket, f"1. ```json\n   {ANSWER}\n   ```\n2. x", "1.\n2. x"),
        (ticket, f"> ```json\n> {ANSWER}\n> ```\n> x", "> ```json\n>\n> ```\n> x"),
        # Tags.
        (ticket, f"<output>{ANSWER}</output>", ""),
        (ticket, f"Here: <output> {ANSWER}\n</output> Bye", "Here: Bye"),
        (ticket, f'<a x="y z" n=1>{ANSWER}</a> <b>{ANSWER} x</b>', " <b> x</b>"),
        (ticket, f"<a>\n```json\n{ANSWER}\n```\n</a>\nBye", "\nBye"),
        (ticket, f"<a><b>{ANSWER}</b>{ANSWER}</a>.", "."),
        (ticket, f"<a>{ANSWER}</b></a> <i>x</i>{ANSWER}</i>", "<a></b></a> <i>x</i></i>"),
        (ticket, f"<a>x{ANSWER}</a> <a>{OTHER}</a> <a></a>", f"<a>x</a> <a>{OTHER}</a> <a></a>"),
        (ticket, f"<|out|>{ANSWER}<|/out|> <|x|>{ANSWER}</|x|>.", "."),
        (ticket, f"[ANSWER] {ANSWER} [/ANSWER] [A]x", " [A]x"),
        (ticket, f"[ANSWER] {ANSWER}", ""),
        (ticket, f"a < b <c and {ANSWER} <- <1> <", "a < b <c and <- <1> <"),
        (ticket, f"<a x='{ANSWER}'>", "<a x=''>"),
        (ticket, f"<{'a' * 300}>{ANSWER}", f"<{'a' * 300}>"),
        (ticket, f"{'`' * 256} x {ANSWER}", "`" * 256 + " x"),
        (ticket, f"```js\nx\n```{' ' * 300}\n{ANSWER}", "```js\nx\n```"),
        (ticket, '<a>{"name": oops}</a> Bye', " Bye"),
        (ticket, '`{"name": oops}` Bye', " Bye"),
        (ticket, 'It is ```json {"name": oops} ``` Bye', "It is Bye"),
        (ticket, 'Code `x = {"name": oops}` Bye', "Code `x =` Bye"),
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
        (scalar, "```json true\n```\n", "```json true\n```\n"),
        (scalar, '```"x"\n```\n', '```"x"\n```\n'),
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
    ("make", "text", "shown", "asked"),
    [
        (mapping, '{"a": 1}\n{"b": 2}', "", ['{"a": 1}', '{"b": 2}']),
        (mapping, '{"a": 1} // one', " // one", ['{"a": 1}']),
        (array, "[1]\nnote", "\nnote", ["[1]"]),
        (array, "[1]\n``", "\n``", ["[1]"]),
        (array, '["a"] note', " note", ['["a"]']),
        (mapping, "{}\n{}", "\n{}\n{}", ["{}", "{}"]),
        (array, "[1] note", "\n[1] note", []),
        (array, "[1]``", "``", ["[1]"]),
        (scalar, '"a"\nb', '\n"a"\nb', []),
    ],
)
def test_what_follows_an_answer_in_a_fence_is_shown(
    make: Callable[[], Gate], text: str, shown: str, asked: list[str]
) -> None:
    expected = f"```{shown}\n```\nBye" if shown else "\nBye"
    assert check(make, f"```\n{text}\n```\nBye", expected).asked == asked


def test_a_scalar_may_begin_a_delta() -> None:
    for pieces in (["```json\n", "12\n```"], ["```json\n", " 12", "\n", "```"]):
        assert run(scalar(), pieces) == ""


class TestWhenItIsDecided:
    def feed_all(self, gate: Gate, steps: list[tuple[str, str]]) -> None:
        hold = JsonHold(gate)
        assert [(piece, hold.feed(piece)) for piece, _ in steps] == steps

    def test_ticks_in_pieces(self) -> None:
        self.feed_all(
            ticket(),
            [
                ("Hi\n``", "Hi"),
                ("`", ""),
                ("js", ""),
                ("on\n", ""),
                ('{"x"', ""),
                (":1}", '\n```json\n{"x":1}'),
                ("```", ""),
                ("\n", "```"),
            ],
        )
        self.feed_all(ticket(), [("``", ""), ("x", "``x"), ("`", "`"), ("`", "`"), ("`", ""), ("y", "`y")])

    def test_a_fence_of_code_waits_for_its_first_character(self) -> None:
        self.feed_all(
            ticket(), [("```", ""), ("ja", ""), ("va\n", ""), ("int", "```java\nint"), (" x", " x")]
        )

    def test_it_is_released_at_the_character_that_cannot_be_the_value(self) -> None:
        self.feed_all(
            ticket(), [("```\n", ""), ("[1", "```\n[1"), ("]\n", "]"), ("```", ""), ("\n", "\n```")]
        )

    def test_a_tag_waits_until_it_is_sure_to_be_none_or_holds_something(self) -> None:
        self.feed_all(ticket(), [("a <", "a"), (" b <", " < b"), ("b an", ""), ("d", ""), (" ", " <b and")])
        self.feed_all(
            ticket(), [("<b", ""), (">", ""), ("x", "<b>x"), ("</b>", "</b>"), ("[", ""), ("x", "[x")]
        )
        self.feed_all(
            ticket(), [("[A", ""), ("]", ""), ("x", "[A]x"), ("<a ", ""), ("b='", ""), ("{", "<a b='")]
        )


class TestTheLimit:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("finalturn._core.hold.candidate.LIMIT", SMALL)
        monkeypatch.setattr("finalturn._core.hold.hold.LIMIT", SMALL)

    def test_an_undecided_fence_is_released_when_full(self) -> None:
        start = '```json\n{"x": "'
        text = start + "a" * SMALL + '"}\n'
        assert run(ticket(), [text + "```\nBye"]) == text + "```\nBye"
        assert run(ticket(), [text + f"```\n```\n{ANSWER}\n```\nBye"]) == text + "```\nBye"
        hold = JsonHold(ticket())
        assert hold.feed(text[:SMALL]) == ""
        assert hold.feed(text[SMALL : SMALL + 9]) == text[: SMALL + 9]

    def test_a_complete_answer_stays_hidden(self) -> None:
        text = f"```\n{OTHER}" + " " * (SMALL // 2)
        assert run(mapping(), [text + "\n```\nBye"]) == "\nBye"
        assert run(ticket(), [text + "\n```\nBye"]) == text + "\n```\nBye"

    def test_a_failed_attempt_is_hidden_however_long_it_is(self) -> None:
        for value in ('"' + "a" * SMALL + '"', "oops" * SMALL):
            text = f'```\n{{"name": {value}}}\n```\nBye'
            assert run(ticket(), [text]) == "\nBye"

    def test_markup_without_an_end_is_released(self) -> None:
        for text in (
            "`" * (SMALL + 9),
            "```json" + "c" * SMALL,
            "```json " + "c " * SMALL,
            "<a " + "b=c " * SMALL,
        ):
            for pieces in ([text, " x"], [*text, " x"]):
                assert run(ticket(), pieces) == text + " x"

    def test_an_info_string_is_read_alike_at_its_limit(self) -> None:
        for blank in range(240, 260):
            for text in (f"```json{' ' * blank}{ANSWER}\n```", f"```json{' ' * blank}{{ x `\n{ANSWER}"):
                whole = run(ticket(), [text])
                assert "SECRET" not in whole
                assert run(ticket(), text) == whole

    def test_blank_space_before_a_scalar_is_not_lost(self) -> None:
        for text in (f"```{' ' * SMALL}\n1\n```", f"```\n{' ' * SMALL * 2}1\n```"):
            assert run(scalar(), [text]) == run(scalar(), text) == text

    def test_a_fence_is_told_by_blank_space_up_to_the_limit(self) -> None:
        for blank in (SMALL - 4, SMALL - 3, SMALL - 2, SMALL):
            text = f"Say ```{' ' * blank}\nx\n```\n{ANSWER} y"
            assert run(ticket(), [text]) == run(ticket(), text)

    def test_no_more_than_some_is_kept_of_what_opens_in_another(self) -> None:
        hold = JsonHold(ticket())
        assert hold.feed("<a>" * 100) == ""
        assert hold.feed("<b>") == "<a>" * 100 + "<b>"
        assert hold.feed(f"<c>{ANSWER}</c> x") == " x"

    def test_no_more_than_the_limit_is_kept_of_what_opens(self) -> None:
        hold = JsonHold(ticket())
        for text in ("<a>" * SMALL, " " * 2 * SMALL):
            shown = "".join(hold.feed(text[at : at + 99]) for at in range(0, len(text), 99))
            assert len(text) - SMALL - 99 <= len(shown)
            assert run(ticket(), [text + ANSWER]) == run(ticket(), [*text, ANSWER]) == text[: len(shown)]

    def test_a_scalar_behind_too_much_blank_space_is_text(self) -> None:
        text = "```json\n" + " " * 2 * SMALL + "12\n```"
        assert run(scalar(), [text]) == run(scalar(), text) == text
