"""The servers that `OpenAIChat` knows by name, as the guide on providers shows them."""

from __future__ import annotations

from finalturn._providers.openai_chat.profile import Profile
from finalturn._providers.openai_chat.profiles import PROFILES
from tools.contractdocs.render.page import table

HEAD = ("server", "profile", "address", "the key is read from", "follows a schema", "has no")


def profiles_table() -> str:
    """A row for each profile, from the data that the provider itself reads."""
    return table(HEAD, (_row(name, profile) for name, profile in PROFILES.items()))


def _row(name: str, profile: Profile) -> tuple[str, ...]:
    address = f"`{profile.base_url}`" if profile.base_url else f"the value of `{profile.base_variable}`"
    key = f"`{profile.key_variable}`" if profile.key_variable else "nowhere"
    if profile.key_variable and not profile.key_needed:
        key += ", if there is one"
    can = profile.capabilities
    follows = "beside tools, too" if can.native_schema_with_tools else "without tools"
    lacks = ", ".join(f"`{setting}`" for setting in sorted(profile.unsupported))
    schema = follows if can.native_schema else "no"
    return profile.name, f"`{name}`", address, key, schema, lacks
