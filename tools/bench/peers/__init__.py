"""Other libraries, measured at the same work. Each runs in an environment and a process of its own.

What is in this folder is run there: it imports nothing of finalturn, and the libraries by name.
"""
