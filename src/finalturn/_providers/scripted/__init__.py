"""``Scripted``: a provider for tests, which plays a script instead of asking a model."""
