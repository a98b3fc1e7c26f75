"""JSON Schemas in the forms that vendors accept."""
