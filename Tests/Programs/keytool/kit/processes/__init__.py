"""A process as the tests see it: its clock, system calls, memory and end."""
