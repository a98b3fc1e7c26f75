"""What hides in a model's text: reasoning between tags, and calls written as text.

A server without a parser for its model passes on whatever the model writes, and a model marks its reasoning
and its calls with tokens of its own. One splitter takes them out:

- **Prose** is shown. In it, an opening token of a reasoning tag begins a thought, and one of a call begins
  a block. Wherever it stands will do: a model may think again after a paragraph, or say something first.
- **Quoted code** is prose in which no token counts, from its backticks or tildes to their end, as CommonMark
  says of code spans (6.1) and fenced code blocks (4.5). Unlike there, a span ends with its line, since what
  is still to come is not known, and a fence may begin in mid-line.
- **A thought** goes to the first closing token of its tag, or else to the end of the answer. Code is not
  looked for in it: a fence that was left open in a thought would take the answer with it. Another opening
  token in a thought is part of it.
- **A block** is read by its own reader, which says where it ends and what stands in it. It may say that it
  was no block after all, and give the text back.

A closing token that closes nothing is left out of an answer in which something was hidden. So is one of
reasoning before the first word: a prompt that has begun a thought which the model does not think. In any
other answer it is text: it may end reasoning that began in the prompt, and who reads an object from the text
wants to know.

What is hidden takes the blank text around it along, unless that is all that keeps two words apart.

Nothing depends on how the text is cut into pieces. A piece is held back only as far as it may still become
a token, and as blank text that may turn out to surround something hidden, `MAX_BLANK` at the most. Every
character is looked at a bounded number of times.
"""

from finalturn._core.markup.markup import Markup, closing
from finalturn._core.markup.parts import BlockReader, Ended, Part, Schemas, Tag
from finalturn._core.markup.splitter import MAX_BLANK, MarkupSplitter
from finalturn._core.markup.tags import EVERY_TAG, HARMONY, THINK

__all__ = [
    "EVERY_TAG",
    "HARMONY",
    "MAX_BLANK",
    "THINK",
    "BlockReader",
    "Ended",
    "Markup",
    "MarkupSplitter",
    "Part",
    "Schemas",
    "Tag",
    "closing",
]
