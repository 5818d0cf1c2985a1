"""What processes of tests leave in /tmp when something kills them, which no option of theirs puts elsewhere without changing
what is tested: a JVM's door for those who attach, the repository of its recorder, the map of names of its code.

Each has the process's number in its name. Whose process that is, its environment tells while it lives: a thread looks for new names a
few times a second. After each test what is left of processes that are gone is removed. hsperfdata is the VM's own to clear.
SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import pathlib
import re
import shutil
import threading

TMP = pathlib.Path("/tmp")
NAME = re.compile(r"\.java_pid(\d+)$|\.attach_pid(\d+)$|perf-(\d+)\.map$|\d{4}(?:_\d\d){5}_(\d+)$")
MARK = "HPROF_TEST_PROCESS"
LOOK_S = 0.2


def named(name):
    """The number of the process that a name in /tmp has, or None."""
    found = NAME.match(name)
    return int(next(filter(None, found.groups()))) if found else None


def is_ours(pid, mark):
    """Whether this process of tests has started it, itself or through others."""
    with contextlib.suppress(OSError):
        return b"%s=%s" % (MARK.encode(), mark.encode()) in pathlib.Path("/proc/%d/environ" % pid).read_bytes().split(b"\0")
    return False


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def remove_of(pid):
    """For a process that is known to be gone."""
    for name in os.listdir(TMP):
        if named(name) == pid:
            remove(TMP / name)


class Left:
    """The names in /tmp of processes that this one has started."""

    def __init__(self):
        self.mark = os.environ[MARK] = str(os.getpid())
        self.seen = set(os.listdir(TMP))
        self.ours = {}
        self.over = threading.Event()
        self.watch = threading.Thread(target=self.look_on, daemon=True)
        self.watch.start()

    def look(self):
        names = set(os.listdir(TMP))
        for name in names - self.seen:
            pid = named(name)
            if pid and is_ours(pid, self.mark):
                self.ours[name] = pid
        self.seen = names

    def look_on(self):
        while not self.over.wait(LOOK_S):
            self.look()

    def clear(self):
        """Removes what those have left that are gone."""
        for name, pid in list(self.ours.items()):
            if not os.path.exists("/proc/%d" % pid):
                remove(TMP / name)
                del self.ours[name]

    def end(self):
        self.over.set()
        self.watch.join()
        self.clear()
