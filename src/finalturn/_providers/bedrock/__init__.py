"""Amazon Bedrock's Converse API."""
