"""What is behind the gates: functions that are asked before a tool runs."""
