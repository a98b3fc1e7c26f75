"""Decodes answers of every vendor: the records of a body, the end of an answer, and its token usage."""
