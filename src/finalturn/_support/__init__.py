"""Small tools that every layer uses: errors about keywords, loggers, and where a public name lives."""
