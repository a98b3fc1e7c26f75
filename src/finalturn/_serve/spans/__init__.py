"""OpenTelemetry spans of turns, model calls and tools."""
