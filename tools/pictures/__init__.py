"""The pictures of README and of the site's first page, made from the real thing."""
