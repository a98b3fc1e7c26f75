"""Finding JSON blocks in streamed text, and holding back the ones that are the answer.

Theory of operation
-------------------

The text is read once, from left to right, a character at a time in effect: a decision depends on the
characters before it and never on where a delta was cut.

*Prose.* In the middle of a line nothing can begin, so text flows. Blank space at the end of what has come
is kept back, because a block may follow it, and a hidden block takes its blank space along. Anything else
than a block lets it out, in order.

*The start of a line.* Its first character that is not blank decides. A bracket of the root opens a bare
block, a backtick may open a fence, everything else is prose. What follows a block on its line counts as
the start of a line too, so that a second value glued to the first is seen.

*A block* is read with the strict grammar of JSON. It is decided

- when a wanted top-level key has been read (a required one; a declared one where none is required): from
  then on it is sure to be hidden, and its text is not even kept;
- when it closes: a bare object at its bracket, a bare array at the end of the bracket's line (something
  else on that line releases it), a fence at its closing ticks. The gate is asked about the value, unless
  a key has settled it;
- when the grammar breaks, when 256 Ki characters are held, or when the call ends: then it is released. A
  fence whose value was complete by then is put to the gate first; when other text follows the value, only
  as far as a bare one would be.

A released block comes out whole. Reading goes on with the character that broke it, which may itself start
a block; the lines behind it, and those in a fence of another language, are lines like any other.

*A block that is to be hidden and whose grammar breaks* (it has a wanted key, so it is a failed attempt at
the answer) has no sure end. A slip inside a string, such as a line break that should have been escaped, is
read over. After any other slip a fence is hidden up to its closing ticks, or to the end of the text when
they never come. A bare block is hidden until its braces balance, or until a blank line is followed by a
paragraph that does not look like JSON. The guess is made so that it hides too much rather than too little.

*Fences of other languages* are followed, so that their closing ticks are not taken for an opening.
"""

from finalturn.core.hold._block import HoldGate
from finalturn.core.hold._hold import JsonHold

__all__ = ["HoldGate", "JsonHold"]
