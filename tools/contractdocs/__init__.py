"""What the docs say of the contract is rendered from it: ``write`` writes it, ``check`` compares it."""
