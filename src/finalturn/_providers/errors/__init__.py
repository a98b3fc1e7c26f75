"""Turns a vendor's errors into a ``ProviderError``: its status, its code, whether and when to try again."""
