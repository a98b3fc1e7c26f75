"""The pure heart of finalturn: no I/O, no clock, no event loop; the standard library and pydantic only."""
