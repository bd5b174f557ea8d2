"""Signal dispositions of what the tests start, whatever the test process inherited."""

import signal

# A child gets these two back from `subprocess`; Python ignores them itself.
PYTHONS_OWN = {signal.SIGPIPE, signal.SIGXFSZ}


def give_defaults_to_children():
    """Whoever starts the tests may ignore or block signals: nohup, a shell's background, a CI runner.

    A program inherits an ignored signal, but not a handled one. So every signal that is ignored here gets a
    handler that does nothing: this process goes on ignoring it, and its children do not.
    """
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in signal.valid_signals() - PYTHONS_OWN:
        if signal.getsignal(number) != signal.SIG_IGN:
            continue
        # Ignoring SIGCHLD means more than doing nothing: the kernel would reap the children.
        handler = signal.SIG_DFL if number == signal.SIGCHLD else lambda *_: None
        signal.signal(number, handler)
