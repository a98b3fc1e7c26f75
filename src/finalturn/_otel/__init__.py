"""What is behind ``finalturn.otel``: OpenTelemetry spans of turns, model calls and tools."""
