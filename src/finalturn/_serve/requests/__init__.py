"""What comes in: bodies and their limits, and the problem documents for what is refused."""
