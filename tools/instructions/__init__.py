"""How many instructions a text delta costs in the machine and in the codec, as valgrind counts them."""
