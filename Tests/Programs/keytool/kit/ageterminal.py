"""The program age under a passphrase, which it reads from its terminal only.

    ageterminal.py PASSPHRASE ARGUMENT …    runs age with these arguments, and types the passphrase at each question
"""

import os
import pty
import select
import sys


def main():
    passphrase, *arguments = sys.argv[1:]
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("age", ["age", *arguments])
    seen = b""
    while True:
        if not select.select([terminal], [], [], 60)[0]:
            sys.exit(f"age does not go on after {seen!r}")
        try:
            read = os.read(terminal, 4096)
        except OSError:
            break
        seen += read
        # "Enter passphrase: ", and for a new file "Confirm passphrase: ".
        if not read or not seen.rstrip().endswith(b":"):
            continue
        os.write(terminal, passphrase.encode() + b"\n")
        seen = b""
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) and f"age: {seen.decode(errors='replace')}")


if __name__ == "__main__":
    main()
