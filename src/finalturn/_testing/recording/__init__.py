"""Recording an agent's turns as traces."""
