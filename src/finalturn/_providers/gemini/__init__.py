"""Google's Gemini API, at AI Studio and on Vertex AI."""
