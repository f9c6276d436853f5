"""Become another program that cannot outlive the process that asked for it.

Run by path, as ``python -I -S launch.py PARENT SIGNAL ACCOUNT PROGRAM [ARGUMENT...]``; imports nothing of the
project. ``PARENT`` is the process that must be alive, ``SIGNAL`` the number of the signal that the program gets
when it is not, ``ACCOUNT`` is ``uid:gid`` or ``-`` for no change. The program leads a session of its own, so that
Ctrl-C in the terminal reaches the supervisor alone and the whole family can be ended by its group.
"""

import ctypes
import os
import signal
import sys

#: From ``linux/prctl.h``. The kernel forgets the wish when the user changes, so it is made after that.
PR_SET_PDEATHSIG = 1
#: Python ignores these from its start, and a program would inherit that.
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
PARENT_IS_GONE = 75
CANNOT_RUN = 126


def main(parent: int, at_parents_death: int, account: str, program: list[str]) -> int:
    """Never returns when the program starts; otherwise the status to exit with."""
    if account != "-":
        uid, gid = (int(number) for number in account.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, at_parents_death)
    if os.getppid() != parent:
        return PARENT_IS_GONE
    for number in IGNORED_BY_PYTHON:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execv(program[0], program)  # noqa: S606 - there is no shell so that nothing is interpreted
    except OSError as error:
        sys.stderr.write(f"{program[0]}: {error.strerror}\n")
    return CANNOT_RUN


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]))
