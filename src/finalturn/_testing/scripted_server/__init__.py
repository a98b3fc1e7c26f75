"""A chat-completions server that says what a test tells it to say."""
