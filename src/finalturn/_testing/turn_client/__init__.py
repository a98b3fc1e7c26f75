"""A client of a served agent, for tests: it reads turns as typed records."""
