"""``Fallback``: providers that are asked one after another until one answers."""
