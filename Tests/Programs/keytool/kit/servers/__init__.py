"""Servers of the tests, and what stands between one and keytool."""
