"""Many streams at once on one server: is each of them complete and right, and does memory stay flat?"""
