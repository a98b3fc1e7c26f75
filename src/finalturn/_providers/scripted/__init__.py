"""``Scripted``: a provider that says what a test tells it to say."""
