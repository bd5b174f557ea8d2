"""Debian's faketime, in front of a command line: `[*FAKETIME, "-f", "+1d", …]`."""

# It names its shared memory after its process, and ends with "File exists" if a killed one with this number left some.
FAKETIME = [
    "sh", "-c", 'rm -f "/dev/shm/faketime_shm_$$" "/dev/shm/sem.faketime_sem_$$"; exec faketime "$@"', "faketime"]
