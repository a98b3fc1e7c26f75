"""What all vendors' answers have in common: records of a body, when it has ended, and what it cost."""
