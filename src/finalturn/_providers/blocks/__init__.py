"""What formats of content blocks have in common: Anthropic's Messages, and Converse of Amazon Bedrock."""
