"""The log of a server: lines for requests and failures, which hold no text of a model."""
