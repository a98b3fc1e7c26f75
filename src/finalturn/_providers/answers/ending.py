"""Decides when an answer is over, by one rule for every vendor. Pure.

Formats have two kinds of end. A mark says why the model stopped, and usage may follow it: ``finish_reason``,
Gemini's ``finishReason``, ``stop_reason`` of Messages, ``messageStop`` of Converse. A close says that nothing
follows at all: ``[DONE]``, ``message_stop``, ``response.completed``, ``metadata`` of Converse. Servers send
either early, on every piece, or over and over. So neither ends anything while content still comes:

- Without a mark, or with content after the last one, the answer is under way. Silence is that of a live
  stream, with its limit, and a connection that breaks is a failure.
- Behind a mark, only what may follow it is waited for, `AFTER_MARK` seconds, and behind a close `AFTER_CLOSE`
  seconds. Each piece of content begins the wait anew; usage and comments do not. As long as nothing has been
  said at all, each record does. Silence, or a connection that breaks, is then the end of a whole answer.
- A mark that was followed by content has shown that it means nothing. The same kind of mark, by its reason
  and by whether content stood beside it, is no sign of an end in the rest of this answer: the limits are
  those of a live stream, and only the end of the body, a mark of another kind, or silence for as long as a
  live stream may be silent ends the answer.
- Where the body ends as HTTP says, one mark or close anywhere makes the answer whole.
- A failure is an end that nothing takes back. One that says why it failed ends the reading at once, and is no
  matter of waiting. One that does not, such as the reason ``error``, is read on behind: the next record may
  say why, and what the answer cost. It is waited for as behind a mark that is believed, `AFTER_MARK` seconds
  in all, or `AFTER_CLOSE` behind a close: content that follows belongs to no answer, and begins no wait anew.
"""

from __future__ import annotations

from finalturn._providers.json_types import as_text

# Seconds. How long to wait for what may follow a finished answer: its usage, and the end of the body,
# without which the connection cannot serve another call.
AFTER_MARK = 5.0
AFTER_CLOSE = 0.01

_CLOSE = "close"
# What servers write where they have no reason yet.
_NO_REASON = frozenset(
    {"", "none", "null", "nil", "undefined", "unknown", "unspecified", "finish_reason_unspecified"}
)


def stated_reason(reported: object) -> str:
    """Why the model stopped, in the server's words; ``""`` where what it gave is no reason at all."""
    name = as_text(reported).strip()
    return "" if name.lower() in _NO_REASON else name


class Ending:
    """How far an answer has come to its end.

    Attributes:
        live: no end has been spoken of, and nothing has failed.
        failed: the answer has failed.
        marked: a mark or a close has come, or a failure.
        closed: a close has come, and no content since.
        heard: how many records have come since the first mark for which the wait begins anew. A failure is
            the last.
    """

    __slots__ = ("_new", "_size", "_standing", "_void", "closed", "failed", "heard", "live", "marked")

    def __init__(self) -> None:
        self.live = True
        self.failed = False
        self.marked = False
        self.closed = False
        self.heard = 0
        self._size = 0
        # The marks of the record that is being read; those that no content has followed; those that mean
        # nothing, as content has followed them.
        self._new: set[str] = set()
        self._standing: set[tuple[str, bool]] = set()
        self._void: set[tuple[str, bool]] = set()

    @property
    def settled(self) -> bool:
        """Nothing of the answer has come since the last mark, or it has failed."""
        return self.failed or bool(self._standing)

    @property
    def certain(self) -> bool:
        """The last mark is one that no content has followed so far, or the answer has failed."""
        return self.failed or not self._standing <= self._void

    @property
    def patience(self) -> float | None:
        """Seconds to wait for more, since `heard` or `closed` changed; ``None`` as for a live stream."""
        if not self.certain:
            return None
        closed = any(kind == _CLOSE for kind, _ in self._standing - self._void)
        return AFTER_CLOSE if closed else AFTER_MARK

    def mark(self, reason: str = "stop") -> None:
        """The record that is being read says that the model has stopped."""
        self.live = False
        self.marked = True
        self._new.add(reason)

    def close(self) -> None:
        """The record that is being read says that nothing follows."""
        self.mark(_CLOSE)

    def fail(self) -> None:
        """The record that is being read says that the answer has failed: once, whatever follows."""
        if not self.failed:
            self.failed = True
            self.live = False
            self.marked = True
            self.heard += 1

    def record(self, size: int) -> None:
        """A record has been read.

        Args:
            size: how much of the answer there is with it: text, thoughts, pieces of calls.
        """
        content = size > self._size and not self.failed
        self._size = size
        if not self.failed and (content or not size):
            self.heard += 1
        if content:
            self.closed = False
            self._void |= self._standing
            self._standing.clear()
        if self._new:
            self.closed |= _CLOSE in self._new
            self._standing |= {(kind, content) for kind in self._new}
            self._new.clear()
