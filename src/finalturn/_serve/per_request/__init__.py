"""Functions of the application that are called for a request: what a turn is run with, and by which agent."""
