"""The table of profiles in the guide on providers."""

from __future__ import annotations

from finalturn._providers.openai_chat.profiles import PROFILES
from tools.contractdocs.render.profiles import profiles_table


def test_each_profile_is_a_row() -> None:
    rows = profiles_table().splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == [f"`{name}`" for name in PROFILES]


def test_a_row_says_where_the_key_is_and_what_the_server_lacks() -> None:
    rows = profiles_table()
    assert (
        "| Ollama | `ollama` | `http://localhost:11434/v1` | `OLLAMA_API_KEY`, if there is one |"
        " without tools | `tool_choice` |" in rows
    )
    assert "| the value of `AZURE_OPENAI_ENDPOINT` | `AZURE_OPENAI_API_KEY` | beside tools, too |" in rows
    assert "| `GROQ_API_KEY` | no |" in rows
