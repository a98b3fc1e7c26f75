"""What a run of the contract's tests and of the documents' examples shows."""
