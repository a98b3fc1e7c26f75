"""The implementation of ``finalturn.serve``: an agent over HTTP.

``requests`` reads and refuses, ``access`` knows who asks, ``runs`` holds the turns, and ``formats`` writes
them for each kind of client. ``openapi`` describes all of it; ``logs`` and ``spans`` tell those who run it.
"""
