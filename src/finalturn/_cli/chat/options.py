"""The options of ``finalturn chat``, and the agent that they ask for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from finalturn import Agent, Capabilities, ConfigurationError, StructuredOutputConfig
from finalturn._cli.chat.schema import load_schema
from finalturn.providers import OpenAIChat

__all__ = ["ChatOptions"]

_OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """The options of ``finalturn chat``.

    Attributes:
        model: the model's name.
        base_url: where the server is; ``None`` for OpenAI's.
        key_variable: the environment variable that holds the key; ``None`` for OpenAI's own, or for no
            key with a ``base_url``.
        schema: where the structured answer's type is, ``module:name``; ``None`` for prose alone.
        native_schema: the server can be given a JSON Schema.
        system: the system prompt.
        hold: JSON that is the answer is never shown as text.
    """

    model: str
    base_url: str | None = None
    key_variable: str | None = None
    schema: str | None = None
    native_schema: bool = False
    system: str = ""
    hold: bool = True

    def agent(self) -> tuple[Agent[Any, Any], str]:
        """The agent, and what its structured answers are called; ``""`` when it has none.

        Raises:
            ConfigurationError: an option cannot work.
        """
        response_format: Any = None
        name = ""
        if self.schema is not None:
            response_format, name = load_schema(self.schema)
        structured = StructuredOutputConfig(final_turn_only=True, hold_json=self.hold, partial_objects=True)
        agent: Agent[Any, Any] = Agent(
            self._provider(),
            system_prompt=self.system,
            response_format=response_format,
            structured_output=structured,
        )
        return agent, name

    def _provider(self) -> OpenAIChat:
        return OpenAIChat(
            self.model,
            base_url=self.base_url,
            api_key=self._key(),
            capabilities=Capabilities(native_schema=True) if self.native_schema else None,
        )

    def _key(self) -> str | None:
        variable = self.key_variable
        if variable is None:
            if self.base_url is not None:
                return None
            variable = _OPENAI_KEY
        key = os.environ.get(variable, "").strip()
        if not key:
            raise ConfigurationError(
                f"there is no key: the environment variable {variable} is empty; set it"
                + (", or give --base-url" if self.key_variable is None else "")
            )
        return key
