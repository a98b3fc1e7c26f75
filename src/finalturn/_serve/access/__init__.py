"""Access control of a server: keys, owners of sessions, and origins of other web pages."""
