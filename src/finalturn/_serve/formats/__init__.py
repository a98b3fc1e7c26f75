"""The view of a turn that a client may have, and the stream formats that it is written in."""
