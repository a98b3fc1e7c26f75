"""What is behind ``finalturn.local``: a small model on this machine, in a process of its own."""
