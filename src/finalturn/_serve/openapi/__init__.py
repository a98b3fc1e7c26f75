"""The OpenAPI document of a served agent."""
