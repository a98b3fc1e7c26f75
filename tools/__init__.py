"""Programs for those who work on finalturn. They are not part of the package."""
