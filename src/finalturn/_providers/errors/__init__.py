"""What went wrong at a vendor, as a ``ProviderError``: status, code, whether and when to ask again."""
