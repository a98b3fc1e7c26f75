"""Who may use a server: keys, owners of sessions, and other web pages."""
