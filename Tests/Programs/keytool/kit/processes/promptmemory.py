"""What a command has of its secrets in memory while it waits at a prompt, and when it exits behind one."""

from kit.processes.corefile import core
from kit.processes.memory import Memory
from kit.processes.memoryleft import unexpected
from kit.processes.tracing import CONT, exit_snapshot, ptrace, seize
from kit.stages.everysecret import PASSWORDS

QUESTION = {"passphrase": r"Keystore passphrase[^\n]*: $",
            "new-passphrase": r"New keystore passphrase[^\n]*: $",
            "archive-passphrase": r"Archive passphrase[^\n]*: $",
            "backup-password": r"Backup password[^\n]*: $",
            "safe-password": r"Safe password[^\n]*: $",
            "pin": r"\nPIN for [0-9a-f]{32}: $",
            "new-pin": r"New PIN for [0-9a-f]{32}(, again)?: $",
            "duress-pin": r"Duress PIN for [0-9a-f]{32}(, again)?: $"}


def answer(process, stem):
    process.expect(QUESTION[stem])
    process.send(PASSWORDS[stem].decode())


def left_waiting(process, house, asked, guarded):
    """`guarded`: a secret that is in use here, to be found in guarded pages."""
    process.expect(QUESTION[asked])
    memory = Memory(process.process.pid)
    snapshot = memory.snapshot()
    memory.close()
    assert any(one.mapping.is_guarded for one in snapshot.find({guarded: house.secrets[guarded]}))
    dumped = core(process.process.pid, house.path)
    return unexpected(snapshot, house) + unexpected(dumped, house)


def left_at_exit(process, house, *last, question=r", again: $"):
    """Types the last answers first; behind each but the very last stands the question."""
    for secret in last[:-1]:
        process.send(secret.decode())
        process.expect(question)
    memory = seize(process.process.pid)  # from here on, its end is ours to wait for
    process.send(last[-1].decode())
    snapshot = exit_snapshot(process.process.pid, memory)
    ptrace(CONT, process.process.pid)
    assert process.finish() == 0, process.text
    return unexpected(snapshot, house.learn())


def is_clean(left):
    assert not left, "\n" + "\n".join(map(str, left))
