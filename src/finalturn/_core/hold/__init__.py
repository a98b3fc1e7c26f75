"""Finding JSON values in streamed text, and holding back the ones that are the answer.

Theory of operation
-------------------

The text is read once, from left to right. What is shown depends on the text alone, never on where a delta
was cut: wherever a decision needs characters that have not come yet, it waits for them, and for no more.

*A candidate* is opened by a bracket with which the answer can begin, wherever it stands: at the start of a
line, behind a colon or a list mark, inside code. The character behind the bracket tells nearly all brackets
of prose at once. What remains is read with the grammar of JSON, which lets go at the first character that
cannot continue a value. Everything else is prose, and is shown as it comes.

*A candidate is decided*

- when it is sure to be the answer, or an attempt at it: a wanted key of its own has been read (a required
  one; a declared one where none is required). From then on its text is not even kept;
- when it closes: the gate judges the value. Bare numbers and words in an array, as in ``[1]``, count only
  when nothing follows on their line, since prose has them too; a scalar only as all that a fence holds;
- when its grammar breaks, when too much is held, or when the text ends. Then it was prose, and so is each
  array and object in it that is still open. Those that have closed stand for themselves, as they would
  in any prose: an answer among them is hidden, the rest is shown. One that is open and has a wanted key is
  an attempt at the answer. And when a bracket stands before the quote that seemed to close a string, or
  before a line break in a key, it may have opened a value: reading goes back to that bracket.

Any other value is shown whole, what it holds included.

*Markup* that holds nothing but hidden values goes with them: ticks, a fence, a pair of tags, one in another.
So does blank space before them. Both wait, therefore, until the next character shows what follows; when it
is something else, they are shown before it. Markup that is shown is followed to its end, so that its
closing ticks are not taken for opening ones.

*An attempt whose grammar breaks* has no sure end. Slips that are common are read over: an escape that JSON
does not have, a line break in a key, a comma before a closing bracket. After any other a fence is hidden up
to its closing ticks, or to the end of the text when they never come. Anything else is hidden until its
braces balance, or until a blank line is followed by a paragraph that does not look like JSON. The guess is
made so that it hides too much rather than too little.

Time is linear in the text, and what is held is bounded, whatever the text is: a place is read again at most
once, a value that is too long is given up from the outside in, and so is markup that holds too much other
markup. Of a value that is sure to be hidden, only the open brackets are kept, so that its end is known
however deep it is.
"""

from finalturn._core.hold.hold import JsonHold
from finalturn._core.hold.target import HoldGate

__all__ = ["HoldGate", "JsonHold"]
