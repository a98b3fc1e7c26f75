"""Calls objects of users: providers, session stores and observers, synchronous or not."""
