"""Values that many tests share: the published code, passwords of our own."""

import re

from kit import oracle

CODE = ("4K4M-5Q6T-KFUH-KHL5-2VCJ-ZM57-NL7R-WJTA-V45L-NJAM-"
        "WLEU-5DS4-XF7S-OPH4-CTCL-N2CF-3C4C-HPB7-YZWW-U3S6")
CODE_PASSWORD = b"testpassword"
CODE_IDENTITY = oracle.Identity("0ZAHXXHB", bytes.fromhex(
    "255d619ebec82341a5abe0b3ff736f900faa3eda1cb86b34f102394f86a41b2c"))

# An 80-character code as it is written, 99 characters.
GROUPED = re.compile(r"(?:[A-Z2-7]{4}-){19}[A-Z2-7]{4}")

BACKUP_PASSWORD = b"battery staple 9"
SAFE_PASSWORD = b"correct-horse-4"

EMPTY_KEYSTORE = {".": "0o40700"}  # as runner.snapshot sees it
