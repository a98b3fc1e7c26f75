"""Contract tests get what they play with by parametrisation: see `proves`."""
