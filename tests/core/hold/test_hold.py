"""What is shown of text with bare JSON blocks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from finalturn._core.hold import JsonHold
from tests.core._hold_gate import Gate, array, check, either, mapping, optional, run, scalar, ticket

ANSWER = '{"name": "SECRET", "count": 1}'

SMALL = 1000


@pytest.mark.parametrize(
    ("make", "text", "expected"),
    [
        # A block may start a line, or stand anywhere in it.
        (ticket, ANSWER, ""),
        (ticket, f"  \t{ANSWER}", ""),
        (ticket, f"\ufeff{ANSWER}", ""),
        (ticket, f"\ufeff \ufeff\n\ufeff\ufeff{ANSWER}", ""),
        (ticket, f"x\ufeff{ANSWER}", "x\ufeff"),
        (ticket, f"{{\ufeff \n\ufeff{ANSWER}", "{\ufeff"),
        (ticket, f"x\ufeff \ufeff\n\ufeff{ANSWER}", "x\ufeff \ufeff"),
        (ticket, f"x\n\ufeff \ufeff\n{ANSWER}", "x"),
        (ticket, f"\u3000\u00a0{ANSWER}", ""),
        (ticket, f"Hi\n\ufeff{ANSWER}", "Hi"),
        (ticket, f"Hi\r\n\r\n{ANSWER}\r\nBye", "Hi\r\nBye"),
        (ticket, f"Hi\r{ANSWER}\rBye", "Hi\rBye"),
        (ticket, f"Here: {ANSWER}", "Here:"),
        (ticket, f"- {ANSWER}", "-"),
        (ticket, f"Hi\x0b{ANSWER}", "Hi"),
        # Blank space before a hidden block goes with it; text after it flows.
        (ticket, f"Hi \n\n  {ANSWER}\n\nBye", "Hi\n\nBye"),
        (ticket, f"\n \n{ANSWER} \n ", " \n "),
        (ticket, f"{ANSWER} is it.", " is it."),
        (ticket, f"{ANSWER}.", "."),
        (ticket, f"A\n{ANSWER}\nB\n\n{ANSWER}\n\n{ANSWER}\nC\n", "A\nB\nC\n"),
        (ticket, f"1) {ANSWER}\n+ {ANSWER}\n>> {ANSWER}\n", "1)\n+\n>>\n"),
        (ticket, f"x = {ANSWER} and ({ANSWER}).", "x = and ()."),
        (ticket, f"\u7b54\u6848\uff1a{ANSWER}", "\u7b54\u6848\uff1a"),
        (ticket, f'a {{"x": 1}} b {ANSWER} c {{"y": {{}}}} d', 'a {"x": 1} b c {"y": {}} d'),
        (ticket, f"[{ANSWER}, {ANSWER}]", "[,]"),
        (ticket, f"{{ {ANSWER} }} {{{{{ANSWER}}}}}", "{ } {{}}"),
        # What is glued to a block is seen.
        (ticket, f"{ANSWER}{ANSWER} {ANSWER}x", "x"),
        (ticket, f'{{"x":1}}{ANSWER}', '{"x":1}'),
        (ticket, f"{ANSWER}, {ANSWER}", ","),
        # Keys tell a failed attempt.
        (ticket, '{"x": 1}', '{"x": 1}'),
        (ticket, '{"count": 1}', '{"count": 1}'),
        (ticket, '{"x": {"name": 1}}', '{"x": {"name": 1}}'),
        (ticket, '{"x": 1, "x": 2, "name": null, "name": "SECRET"}', ""),
        (ticket, '{"n\\u0061me": 1}', ""),
        (ticket, "{}", "{}"),
        (optional, '{"b": 1}', ""),
        (optional, '{"c": 1}', '{"c": 1}'),
        (mapping, '{"c": 1}', ""),
        (mapping, "{}", "{}"),
        (mapping, "Hi\n\n{}\n\n{}\nBye", "Hi\n\n{}\n\n{}\nBye"),
        # Prose that begins with a bracket.
        (ticket, "Hi\n{name} is\n{{x}}\n{\n", "Hi\n{name} is\n{{x}}\n{\n"),
        (ticket, f"{{\n\n{ANSWER}\n\nBye", "{\n\nBye"),
        (ticket, f"{{ \n{{x}} {ANSWER}", "{ \n{x}"),
        (ticket, f'{{"x": 1\n{ANSWER}', '{"x": 1'),
        (ticket, f'{{"x\n{ANSWER}', '{"x'),
        (ticket, f'{{"x  \n{ANSWER}\n', '{"x\n'),
        (ticket, f"[1]{ANSWER}\n[\n{ANSWER}", "[1]\n["),
        (ticket, "{\u00a0", "{\u00a0"),
        # A value that breaks, or is cut, may hold answers, or have taken a quote of one for its own.
        (ticket, f'{{"x": {ANSWER} y', '{"x": y'),
        (ticket, f'{{"x": [{ANSWER}, {{"y": 1}}, {ANSWER}] y', '{"x": [, {"y": 1},] y'),
        (ticket, f'{{"x": {ANSWER}', '{"x":'),
        (ticket, '{"x": {"name": "SECRET {"} z', '{"x": z'),
        (ticket, '{"x": {"y": "a {"} z', '{"x": {"y": "a {"} z'),
        (ticket, f'{{"x": {{"y": {ANSWER}}} z', '{"x": {"y": {"name": "SECRET", "count": 1}} z'),
        (ticket, '{"x": {"name": "SECRET"', '{"x":'),
        (ticket, '{"x": [{"name": "SECRET" oops}]\nBye', '{"x": [\nBye'),
        (ticket, f'{{"x: {ANSWER} y', '{"x: y'),
        (ticket, f'{{"x": "no end\n{ANSWER} y', '{"x": "no end y'),
        (ticket, f'{{"{ANSWER}', '{"'),
        (ticket, f'{{"{{"{{ "{ANSWER} {{"{ANSWER}', '{"{"{ " {"'),
        (ticket, '{"x": {"y\n": 1}}', '{"x": {"y\n": 1}}'),
        (ticket, '{"x {":\n[y', '{"x {":\n[y'),
        # A key goes on behind no line break, so a bracket before one may be the answer's.
        (ticket, '{"{\n  "name": "SECRET"\n} y', '{" y'),
        (ticket, 'a {"x: { \t\r\n"name": "SECRET"} y', 'a {"x: y'),
        (ticket, '{"x": {"y": 1}, "{\n"name": "SECRET"} y', '{"x": {"y": 1}, " y'),
        (ticket, '{"x {\\q\n"y": 1} z', '{"x {\\q\n"y": 1} z'),
        # A line break in a string's value is read over, in a key it is not.
        (ticket, '{"x": "a\n\tb"} {"name": "a\nSECRET"}', '{"x": "a\n\tb"}'),
        (mapping, 'Hi {"x": "a\nb"} there', "Hi there"),
        # Arrays of numbers and words count when nothing follows on their last line.
        (array, "[1, 2]", ""),
        (array, "Hi\n[1, 2]\nBye", "Hi\nBye"),
        (array, "Hi\n[1, 2] \t\r\nBye", "Hi \t\r\nBye"),
        (array, "[\n 1,\n 2\n]\n", "\n"),
        (array, "[1] says so", "[1] says so"),
        (array, "[1]: https://x", "[1]: https://x"),
        (array, "[1](x)\n[link](x)\n[ ] todo\n[x] done", "[1](x)\n[link](x)\n[ ] todo\n[x] done"),
        (array, "[1] [2]\nBye", "[1]\nBye"),
        (array, "[1][2]", "[1][2]"),
        (array, "see [1, 2]\nBye", "see\nBye"),
        (array, "rows[0]\nf(x)[1]\na_[2]\n", "rows[0]\nf(x)[1]\na_[2]\n"),
        (array, 'As in ["a"] and [{"b": 1}], [[1]]: yes', "As in and,: yes"),
        (array, "[]\n[null\n", "[]\n[null\n"),
        # An index is no array; some scripts have no space before one.
        (array, 'x["a"] x[ "a"] x[\t1\n]\n', 'x["a"] x[ "a"] x[\t1\n]\n'),
        (array, '\u7b54\u6848["a"]\u3002', "\u7b54\u6848\u3002"),
        (array, '\u7b54\u6848[ "a"]\u3002', "\u7b54\u6848\u3002"),
        (array, "\u7b54\u6848[1]\n", "\u7b54\u6848[1]\n"),
        (array, 'x[{"b": 1}] x[\n1\n]\n(y)[[1]]', "x x\n(y)"),
        (array, '{"a": 1}', '{"a": 1}'),
        (either, '{"a": 1}\n[2]\nBye', "\nBye"),
        (either, '[\n{"a": 1}', "["),
        (Gate, ANSWER, ANSWER),
        # Scalars are held in fences only.
        (scalar, '"text"\n12\ntrue\n{"a":1}\n[1]', '"text"\n12\ntrue\n{"a":1}\n[1]'),
        # The end of the call.
        (ticket, "", ""),
        (ticket, " \n ", " \n "),
        (ticket, "Hi \n\n", "Hi \n\n"),
        (ticket, "Hi\n{", "Hi\n{"),
        (ticket, 'Hi\n{"nam', 'Hi\n{"nam'),
        (ticket, 'Hi\n{"name"', "Hi"),
        (ticket, 'Hi\n{"name": "SEC', "Hi"),
        (ticket, 'Hi\n{"name": "SECRET"\n ', "Hi\n "),
        (ticket, 'Hi\n{"x": "name", "y": [\n', 'Hi\n{"x": "name", "y": [\n'),
        (mapping, '{"a": 1', '{"a": 1'),
        (array, "[1, 2", "[1, 2"),
        (array, "[1, 2] ", " "),
        (array, "[] ", "[] "),
    ],
)
def test_what_is_shown(make: Callable[[], Gate], text: str, expected: str) -> None:
    check(make, text, expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Slips in strings are read over.
        ('{"name": "a\n\nb } SECRET"}\nBye', "\nBye"),
        ('{"name": "it\\\'s", "x": "SECRET"}\nBye', "\nBye"),
        # The braces balance again.
        ('{"name": "x", "y": "SECRET",} Bye', " Bye"),
        ('{"name": ["SECRET",], "y": 1,} Bye', " Bye"),
        ('{"name": "x",}', ""),
        ('{"name": oops, "y": {"z": "SECRET"}}\nBye', "\nBye"),
        ('{"name": "say "hi" now", "y": "SECRET"}\nBye', "\nBye"),
        ("{\"name\": 'x', 'y': 'SECRET'}\nBye", "\nBye"),
        ('{"name": ["x", "y": "SECRET"}\nBye', "\nBye"),
        ('{"name": "x"], "y": "SECRET"}\nBye', "\nBye"),
        ('{"name": {"a": oops}, "b": "SECRET"}\nBye', "\nBye"),
        ('{"name": 1 // why\n, "y": "}\\"} \\\\", "z": "SECRET"}\nBye', "\nBye"),
        ('{"name": 1 "2" \\"}" "SECRET" }\nBye', "\nBye"),
        ('{"name": 5" pipe,\n "y": "SECRET"\n}\nBye', "\nBye"),
        # What stands behind braces on their line is hidden with them: a stray quote may have moved them.
        ('{"name": "say "hi} SECRET", "n": 1}\nBye', "\nBye"),
        ('{"name": oops} SECRET\nBye', "\nBye"),
        ('```json\n{"name": "x" oops\n```py\nSECRET\n```\n"n": 2}\n```\nBye', "\nBye"),
        # Paragraphs end what never balances, unless they could be part of it.
        ('{"name": "x"\n\nBye', "\n\nBye"),
        ('{"name": "x"\r\n\r\nBye', "\r\n\r\nBye"),
        ('{"name": "x"\r\rBye', "\r\rBye"),
        ('{"name": "x" oops \n \nBye', " \n \nBye"),
        ('{"name": oops,\n\n  "y": "SECRET"\n\n}\nBye', "\nBye"),
        ('{"name": oops "\n\nBye', "\n\nBye"),
        ('{"name": 1,\n\n  y: "SECRET",\n\n// z\n\n\'z\': "SECRET"}\nBye', "\nBye"),
        ('{"name": 1 oops\n\n Bye\n\nBye', "\n\nBye"),
        ('{"name": oops\n\n{"name": "SECRET"}\n\nBye', "\n\nBye"),
        ('{"name": oops\n\n```json\n{"name": "SECRET"}\n```\nBye', "\nBye"),
        ('{"name": oops\nSECRET', ""),
        ('{"name": oops\nSECRET \n\n', " \n\n"),
    ],
)
def test_a_failed_attempt_that_is_no_json_either(text: str, expected: str) -> None:
    check(ticket, "Hi\n" + text, "Hi" + expected)


class TestWhenItIsDecided:
    def feed_all(self, gate: Gate, steps: list[tuple[str, str]]) -> None:
        hold = JsonHold(gate)
        assert [(piece, hold.feed(piece)) for piece, _ in steps] == steps

    def test_prose_flows_and_its_blank_end_waits(self) -> None:
        self.feed_all(
            ticket(),
            [
                ("Hello", "Hello"),
                (" ", ""),
                ("you", " you"),
                ("", ""),
                ("\n\n", ""),
                (" \n", ""),
                ("B ", "\n\n \nB"),
            ],
        )

    def test_a_bracket_waits_for_the_character_behind_it(self) -> None:
        steps = [
            ("a ", "a"),
            ("{", ""),
            ('"name', ""),
            ("`", ""),
            ("[", ""),
            ("\n", ' {"name`['),
            ("x", "\nx"),
        ]
        self.feed_all(ticket(), steps)
        self.feed_all(ticket(), [("a ", "a"), ("{", ""), ("x", " {x"), ("}", "}"), ("[", ""), ("x", "[x")])

    def test_a_block_is_released_at_the_character_that_breaks_it(self) -> None:
        self.feed_all(ticket(), [("{", ""), (" ", ""), ("n", "{ n"), ("ame}", "ame}")])
        self.feed_all(ticket(), [("{", ""), ("{", "{"), ("x", "{x")])
        self.feed_all(array(), [("[", ""), ("n", ""), ("u", ""), ("m", "[num")])

    def test_a_closed_object_is_settled_at_once(self) -> None:
        self.feed_all(ticket(), [('\n{"x":1', ""), ("}", '\n{"x":1}'), (" ", ""), ("y", " y")])
        self.feed_all(ticket(), [('{"name":1', ""), ("}", ""), ("y", "y")])

    def test_an_array_is_settled_at_the_end_of_its_line(self) -> None:
        self.feed_all(array(), [("[]", ""), (" ", ""), ("\n", "[]"), ("y", " \ny")])
        self.feed_all(
            array(),
            [("[1]", ""), (" ", ""), (",", "[1] ,"), ("\n", ""), ("[2]", ""), ("\n", ""), ("z", "\nz")],
        )

    def test_nothing_is_left_after_the_end(self) -> None:
        hold = JsonHold(ticket())
        assert hold.feed("Hi\n{") == "Hi"
        assert hold.finish() == "\n{"
        assert hold.finish() == ""


class TestTheGate:
    def test_it_is_asked_once_for_a_closed_block_with_its_text(self) -> None:
        gate = check(mapping, 'a\n  {"x": [1,\n 2]} {} b\n{c}\n{"d"', 'a {} b\n{c}\n{"d"')
        assert gate.asked == ['{"x": [1,\n 2]}', "{}"]
        assert check(array, "[1] \n[2]", "").asked == ["[1]", "[2]"]

    def test_it_is_not_asked_about_arrays_in_prose(self) -> None:
        assert check(array, "[1] says", "[1] says").asked == []

    def test_a_key_settles_it_without_the_gate(self) -> None:
        assert check(ticket, ANSWER, "").asked == []

    def test_required_keys_come_before_declared_ones(self) -> None:
        gate = check(ticket, '{"count": 1}', '{"count": 1}')
        assert gate.asked == ['{"count": 1}']


class TestTheLimit:
    @pytest.fixture(autouse=True)
    def small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("finalturn._core.hold.candidate.LIMIT", SMALL)

    def test_an_undecided_block_is_released_when_full(self) -> None:
        hold = JsonHold(ticket())
        text = '\n{"x": "'
        assert hold.feed("Hi" + text) == "Hi"
        assert hold.feed("a" * (SMALL - len(text))) == ""
        assert hold.feed("a") == text + "a" * (SMALL - len(text) + 1)
        assert hold.feed('b", "name": 1}') == 'b", "name": 1}'

    def test_a_block_of_just_the_limit_may_close(self) -> None:
        for extra, expected in ((0, ""), (1, None)):
            text = '{"x": "' + "a" * (SMALL - 9 + extra) + '"}'
            assert len(text) == SMALL + extra
            assert check(mapping, text, text if expected is None else expected).asked == [text][extra:]

    def test_no_more_blank_space_is_kept_behind_a_failed_attempt(self) -> None:
        text = '{"name": oops' + " " * SMALL
        for extra in ("", " ", " " * SMALL):
            assert run(ticket(), [text + extra]) == run(ticket(), text + extra) == " " * SMALL
        assert run(ticket(), [text, ANSWER, " x"]) == ""

    def test_however_deep_an_attempt_is_its_end_is_known(self) -> None:
        deep = "[" * SMALL + '{"x": ' * SMALL + "1" + "}" * SMALL + "]" * SMALL
        assert run(ticket(), [f'{{"name": {deep}}} Bye']) == " Bye"
        assert run(ticket(), f'{{"name": {deep}, "SECRET": {{"x": [oops]}}}}\nBye') == "\nBye"

    def test_blank_space_before_a_block_does_not_count(self) -> None:
        text = " " * SMALL + '{"x": "' + "a" * (SMALL - 9) + '"}'
        assert run(mapping(), [text]) == ""

    def test_a_failed_attempt_is_hidden_however_long_it_is(self) -> None:
        text = '{"name": "' + "a" * SMALL + '", "y": [' + "1, " * SMALL + '"SECRET"], }\nBye'
        assert run(ticket(), [text]) == "\nBye"
        assert run(ticket(), (text[at : at + 999] for at in range(0, len(text), 999))) == "\nBye"

    def test_an_array_with_a_long_blank_end_is_settled_when_full(self) -> None:
        assert run(array(), ["[1]" + " " * (SMALL - 3), "x"]) == " " * (SMALL - 3) + "x"
        assert run(array(), ["[]" + " " * (SMALL - 2), "[1]\nx"]) == "[]\nx"

    def test_the_lines_below_are_read_as_usual(self) -> None:
        start = '{"x": ["' + "a" * SMALL + '",\n'
        assert run(ticket(), [start + ANSWER + "\nBye"]) == start[:-1] + "\nBye"


def test_holds_share_nothing() -> None:
    gate = ticket()
    first, second = JsonHold(gate), JsonHold(gate)
    assert first.feed('{"name": ') == ""
    assert second.feed("Hi") == "Hi"
    assert first.feed("1}x") == "x"
    assert second.feed("\n{") == ""
    assert first.finish() == ""
    assert second.finish() == "\n{"


def test_a_long_text_is_read_like_a_short_one() -> None:
    long = "word {x} `y` " * 30_000
    assert run(ticket(), [f"{long}{ANSWER} {long}"]) == f"{long[:-1]} {long}"
