"""What the tests of the binary share: runs of it, servers, files made and read by another implementation."""
