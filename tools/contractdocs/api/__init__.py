"""The public names: read from the source files, without running them."""
