"""What is behind ``finalturn.testing``: a scripted server, recordings of turns, and the conformance kit."""
