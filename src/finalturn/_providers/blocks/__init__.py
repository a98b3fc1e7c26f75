"""The shared code of formats made of content blocks: Anthropic's Messages, and Amazon Bedrock's Converse."""
