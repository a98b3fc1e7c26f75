"""What is behind ``finalturn.providers``.

One folder for each vendor's format, with the same file names for the same jobs:

- ``provider``: the public class; where a request goes, and with which key
- ``encode``: a request as the vendor's body
- ``history``: the conversation in that body
- ``answer``: the records of a streamed answer, as model events
- ``message``: an answer that came whole

``http`` carries bodies over connections, ``answers`` and ``errors`` read what every vendor says in its own
words, and ``schema`` makes schemas that vendors accept. ``scripted`` and ``fallback`` ask no vendor.
"""
