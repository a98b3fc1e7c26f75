"""Holds JSON back from the streamed text of one model call, and lets the rest through."""

from __future__ import annotations

import re
from typing import Final

from finalturn._core.hold.candidate import LIMIT, Candidate, SurroundingMarkup
from finalturn._core.hold.markup import (
    MARKUP,
    MOST,
    Wait,
    is_blank_to_line_end,
    read_info,
    read_tag,
    ticks_end,
)
from finalturn._core.hold.pending import LINE_ENDS, Opener, Pending
from finalturn._core.hold.target import HoldGate, Target

__all__ = ["JsonHold"]

# What a piece of plain prose does not hold.
_not_plain = re.compile("[`~<{\\[\r\n\ufeff]").search
_BLANK: Final = re.compile(r"[\s\ufeff]*")
_BLANKS: Final = "\ufeff" + "".join(filter(str.isspace, map(chr, range(0x3001))))
_LINE_END: Final = re.compile(r"[\r\n]")
_FENCE: Final = 3
# The most markup that is held of what stands in other markup.
_NESTED: Final = 100
# The most that is read in one go, in characters: what is shown of a long text comes in small strings.
_AT_ONCE: Final = 64 * 1024


class JsonHold:
    """Holds back the JSON blocks of one model call's text, and hides the ones that are the answer.

    What is shown, all in all, depends only on the text as a whole: not on how it is cut into deltas.
    """

    __slots__ = (
        "_calm",
        "_candidate",
        "_carry",
        "_code",
        "_fence",
        "_fence_tick",
        "_last",
        "_opening",
        "_overflow",
        "_pending",
        "_plain",
        "_special",
        "_starts_line",
        "_target",
        "_ticks",
    )

    def __init__(self, gate: HoldGate) -> None:
        """Take what is known of the response_format."""
        self._target = Target(gate)
        self._special = re.compile(f"{MARKUP}|{self._target.candidate.pattern}")
        self._pending = Pending()
        self._candidate: Candidate | None = None
        # Text that may be the beginning of markup.
        self._carry = ""
        # Some text that ends with the character before the text that is read now.
        self._last = ""
        # Nothing but blank space, or what was hidden, so far on this line.
        self._starts_line = True
        # The ticks of shown markup that is open: of inline code, and how many of its closing ones have
        # been read; of a fence, and of one whose opening line goes on.
        self._code = 0
        self._ticks = 0
        self._fence = 0
        self._fence_tick = ""
        self._opening = 0
        # More blank space came than is kept back: the rest of it is shown.
        self._overflow = False
        # Nothing but blank space is held; not even that, and a line of prose has begun.
        self._calm = True
        self._plain = False

    def feed(self, text: str) -> str:
        """Take the next text of the call; return what is to be shown now, "" for nothing."""
        at = 0
        shown: list[str] = []
        if self._calm:
            # A word, which most deltas are, is told with the least work.
            if self._plain and (
                text.lstrip(" ").isalnum() or (text and not (text[-1].isspace() or _not_plain(text)))
            ):
                self._last = text
                return text
            body = text.rstrip()
            if self._pending.length + len(text) - len(body) <= LIMIT and not (body and _not_plain(text)):
                return self._read_plain(text, body)
        if len(text) > _AT_ONCE:
            pieces = [text[at : at + _AT_ONCE] for at in range(0, len(text), _AT_ONCE)]
            return "".join(map(self.feed, pieces))
        if self._candidate is not None:
            at = self._candidate.feed(text, 0)
            if not self._candidate.decided:
                self._last = text or self._last
                return ""
            text, at = self._settle(self._candidate, text, at, shown)
        self._read(text, at, shown, more=True)
        undecided = self._candidate or self._carry or self._pending.openers
        self._calm = not (undecided or self._ticks or self._overflow)
        self._plain = self._calm and not (self._starts_line or self._pending.length)
        return "".join(shown)

    def finish(self) -> str:
        """Settle what is undecided, because the call has ended; return what is to be shown of it."""
        shown: list[str] = []
        self._read("", 0, shown, more=False)
        if self._candidate is not None:
            self._candidate.finish()
            self._settle(self._candidate, "", 0, shown)
        self._pending.drop_markup()
        shown.append(self._pending.take())
        return "".join(shown)

    def _read_plain(self, text: str, body: str) -> str:
        """Read blank space, or text of one line without markup: its body is shown, its blank end waits."""
        if not text:
            return ""
        self._last = text
        blank = text[len(body) :]
        if body:
            self._starts_line = False
            self._plain = True
            if self._pending.length:
                body = self._pending.take() + body
        if blank:
            self._plain = False
            self._add_blank(blank)
        return body

    def _read(self, text: str, start: int, shown: list[str], *, more: bool) -> None:
        at = start
        if self._carry:
            text, self._carry = self._carry + text, ""
        while at < len(text):
            if self._candidate is None:
                at = self._prose(text, at, shown, more=more)
            else:
                at = self._candidate.feed(text, at)
                text, at = self._settle(self._candidate, text, at, shown)
        if len(text) > len(self._carry):
            self._last = text[-len(self._carry) - 1]

    def _settle(self, candidate: Candidate, text: str, at: int, shown: list[str]) -> tuple[str, int]:
        """Take what a candidate has decided that has read a text so far; return where to read on."""
        for part in candidate.decided:
            if part.hidden:
                self._overflow = False
                self._pending.hide()
                if part.closes:
                    self._close()
            elif part.text:
                self._show(part.text, shown)
        candidate.decided.clear()
        if not candidate.over:
            return text, at
        self._candidate = None
        again = candidate.unread
        if len(again) <= at:
            return text, at - len(again)
        self._last = candidate.before_unread
        return again + text[at:], 0

    # Prose, and the markup in it.

    def _prose(self, text: str, start: int, shown: list[str], *, more: bool) -> int:
        """Read up to a candidate, or past some markup; return where reading stopped."""
        if self._target.scalars and (scalar := self._scalar(text, start, shown)) is not None:
            return scalar
        special = self._special.search(text, start)
        at = special.start() if special else len(text)
        if at > start:
            self._show(text[start:at], shown)
        if at == len(text):
            return at
        character = text[at]
        if character in "`~":
            return self._read_ticks(text, at, shown, more=more)
        if character in self._target.brackets and self._is_candidate(text, at):
            if at == len(text) - 1 and more:
                self._carry = character
                return len(text)
            self._candidate = Candidate(self._target, self._markup())
            return at
        return self._read_tag(text, at, shown, more=more)

    def _is_candidate(self, text: str, at: int) -> bool:
        if at == 0 and text[at] == "[":
            # What stands before an array counts.
            last = self._last[-1:]
            text, at = last + text, len(last)
        return self._target.candidate.match(text, at) is not None

    def _scalar(self, text: str, start: int, shown: list[str]) -> int | None:
        """Begin a candidate that is no array or object, which counts only as all that a fence holds."""
        opener = self._pending.innermost
        if opener is None or not opener.json or opener.hidden:
            return None
        blank = _BLANK.match(text, start)
        at = blank.end() if blank else start
        if at == len(text) or text[at] not in self._target.scalars:
            return None
        if LINE_ENDS.isdisjoint(text[start:at]) and not self._pending.ends_line(opener):
            return None
        if at > start:
            self._show(text[start:at], shown)
        if self._pending.innermost is opener:
            self._candidate = Candidate(self._target, self._markup())
        return at

    def _markup(self) -> SurroundingMarkup:
        opener = self._pending.innermost
        if opener is None:
            return SurroundingMarkup("`" if self._code else "")
        fence = opener.ticks if opener.ticks >= _FENCE else 0
        return SurroundingMarkup(opener.closer, fence, first_line=not self._pending.ends_line(opener))

    def _read_tag(self, text: str, at: int, shown: list[str], *, more: bool) -> int:
        tag = read_tag(text, at, more=more)
        if isinstance(tag, Wait):
            self._carry = text[at:]
            return len(text)
        opener = self._pending.innermost
        if tag is None:
            self._show(text[at], shown)
            return at + 1
        if not tag.closes:
            self._open(Opener(text[at], name=tag.name), text[at : tag.end], shown)
        elif opener and opener.hidden and (opener.closer, opener.name) == (text[at], tag.name):
            self._close()
        else:
            self._show(text[at : tag.end], shown)
        return tag.end

    def _read_ticks(self, text: str, at: int, shown: list[str], *, more: bool) -> int:
        if self._code and text[at] == "`":
            return self._read_code_ticks(text, at, shown)
        end = ticks_end(text, at)
        count = end - at
        if text[at] == "~" and not self._starts_line:
            self._show(text[at:end], shown)
            return end
        if count == MOST:
            self._show(text[at:end], shown)
            return end
        if end == len(text) and more:
            self._carry = text[at:]
            return end
        opener = self._pending.innermost
        inner = opener and opener.closer == text[at] and opener.ticks >= _FENCE
        if not inner and self._may_end_fence(text[at], count):
            ends = is_blank_to_line_end(text, end, more=more)
            if isinstance(ends, Wait):
                self._carry = text[at:]
                return len(text)
            if ends:
                self._show(text[at:end], shown)
                self._fence = 0
                return end
        if opener and opener.closer == text[at] and count >= opener.ticks > 0:
            if opener.hidden:
                self._close()
                return end
            # It closes around nothing.
            self._flush(shown)
            return at
        if count < _FENCE:
            if text[at] == "~":
                self._show(text[at:end], shown)
            else:
                self._open(Opener("`", ticks=count), text[at:end], shown)
            return end
        return self._read_fence(text, at, end, shown, more=more)

    def _may_end_fence(self, tick: str, count: int) -> bool:
        return tick == self._fence_tick and count >= self._fence > 0

    def _read_fence(self, text: str, at: int, end: int, shown: list[str], *, more: bool) -> int:
        info = read_info(text, end, self._target, more=more)
        if isinstance(info, Wait):
            self._carry = text[at:]
            return len(text)
        if info.opens:
            opener = Opener(text[at], ticks=end - at, json=info.json, starts_line=self._starts_line)
            self._open(opener, text[at : info.end], shown)
        else:
            self._show(text[at : info.end], shown)
            self._code = end - at
        return info.end

    def _read_code_ticks(self, text: str, at: int, shown: list[str]) -> int:
        """Ticks inside shown inline code: as many as have opened it close it."""
        ticks = self._ticks
        end = min(ticks_end(text, at), at + self._code - ticks)
        self._show(text[at:end], shown)
        self._ticks = ticks + end - at
        if self._ticks == self._code:
            self._code = self._ticks = 0
        return end

    def _open(self, opener: Opener, text: str, shown: list[str]) -> None:
        if opener.ticks:
            self._opening = 0
        self._overflow = False
        self._pending.open(opener, text)
        self._starts_line = False
        if self._pending.length > LIMIT or len(self._pending.openers) > _NESTED:
            self._flush(shown)

    def _close(self) -> None:
        """Hide the innermost markup: it held nothing but what was hidden."""
        opener = self._pending.openers[-1]
        self._starts_line = self._starts_line or opener.starts_line
        self._pending.close()

    def _show(self, text: str, shown: list[str]) -> None:
        """Show text, all but its blank end, which an answer may follow."""
        self._ticks = 0
        body = self._without_blank_end(text)
        blank = text[len(body) :]
        if body:
            if self._pending.openers and body[0].isspace():
                # A fence is told from inline code by where its first line ends.
                text, body = body, body.lstrip()
                self._hold_blank(text[: len(text) - len(body)], shown)
            self._flush(shown)
            shown.append(body)
            self._end_line(body)
            self._starts_line = self._overflow = False
        if blank:
            self._hold_blank(blank, shown)

    def _hold_blank(self, blank: str, shown: list[str]) -> None:
        room = 0 if self._overflow else LIMIT - self._pending.length
        self._add_blank(blank[:room])
        if len(blank) > room:
            self._flush(shown)
            self._overflow = True
            shown.append(blank[room:])
            self._end_line(blank[room:])

    def _add_blank(self, blank: str) -> None:
        self._pending.add(blank)
        self._end_line(blank)

    def _without_blank_end(self, text: str) -> str:
        """A text without the blank space at its end; a byte order mark belongs to it where a line starts."""
        body = text.rstrip()
        if not body.endswith("\ufeff"):
            return body
        inner = text.rstrip(_BLANKS)
        if not inner and self._starts_line:
            return inner
        line_end = _LINE_END.search(text, len(inner))
        before = text[: line_end.start()] if line_end else text
        return before[: max(len(inner), before.rfind("\ufeff") + 1)]

    def _end_line(self, text: str) -> None:
        if LINE_ENDS.isdisjoint(text):
            return
        self._starts_line = True
        self._code = 0
        if self._opening:
            self._fence, self._opening = self._opening, 0

    def _flush(self, shown: list[str]) -> None:
        """Show what is pending; markup that opened stays open, now that it holds something else."""
        pending = self._pending
        for opener in pending.openers:
            if not opener.ticks:
                continue
            ended = pending.ends_line(opener)
            self._opening = 0
            if opener.ticks >= _FENCE and (ended or opener.starts_line):
                if not self._fence:
                    self._fence_tick = opener.closer
                    self._fence, self._opening = (opener.ticks, 0) if ended else (0, opener.ticks)
            elif not ended:
                self._code = opener.ticks
        if pending.length:
            shown.append(pending.take())
