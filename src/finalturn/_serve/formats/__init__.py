"""What a client may see of a turn, and the stream formats that it is written in."""
