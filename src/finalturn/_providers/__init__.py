"""The implementation of ``finalturn.providers``.

One folder for each vendor's format, with the same file names for the same jobs:

- ``provider``: the public class; where a request goes, and with which key
- ``encode``: a request as the vendor's body
- ``history``: the conversation in that body
- ``answer``: the records of an answer, as model events
- ``message``: what the words in those records mean
- ``replay``: what the vendor wants back with a tool call, such as signed thoughts
- ``schema``, ``thinking``, ``images``: where a vendor has a form of its own

``http`` carries bodies over connections, ``answers`` and ``errors`` read what every vendor says in its own
words, ``blocks`` is shared by formats of content blocks, and ``schema`` makes schemas that vendors accept.
``scripted`` and ``fallback`` ask no vendor. None of these imports the folder of a vendor, and no two folders
import each other.
"""
