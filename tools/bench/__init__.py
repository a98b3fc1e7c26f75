"""What finalturn costs: CPU time, beside the plainest code that does the same. Nothing here is a test."""
