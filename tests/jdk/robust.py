"""What the tests of truth, robustness, signals and attaching share: their programs, and a reader of the text file.

Use: `from robust import classes, helper` for the fixtures; `Profile(ended.text())`.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re

import pytest
from conftest import compile_library, compile_programs


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """programs_robust, compiled once; takes the place of conftest's in modules that import it."""
    return compile_programs(tmp_path_factory, "programs_robust")


@pytest.fixture(scope="session")
def helper(tmp_path_factory):
    """The path of native/helper.c as a shared library."""
    return compile_library(tmp_path_factory, "helper")


# Due, and in no table, in files where there is any of it: see docs/sampling.md.
APART = ("no_Java_frame", "signal_blocked", "signal_lost")
Row = collections.namedtuple("Row", "count thread frames")


class Profile:
    """A text file: `quality` by name, `rows` of all CPU SAMPLES tables, `threads`: name by serial."""

    def __init__(self, text):
        assert text.startswith("JAVA PROFILE 1.0.1"), text[:100]
        self.quality = {name: int(value) for name, value in re.findall(r"^  (\w+) = (\d+)", text, re.M)}
        self.threads = {int(serial): name for serial, name in
                        re.findall(r'^THREAD START \(obj=\w+, id = (\d+), name="(.*?)", group=', text, re.M)}
        traces = {}
        for serial, thread, body in re.findall(r"^TRACE (\d+):(?: \(thread=(\d+)\))?\n((?:\t.*\n)*)", text, re.M):
            frames = [line.strip().split("(")[0] for line in body.splitlines()]
            traces[serial] = (int(thread) if thread else None, frames)
        self.tables = re.findall(r"^CPU SAMPLES BEGIN \(total = (\d+)\).*\n((?:.*\n)*?)CPU SAMPLES END\n", text, re.M)
        self.totals = [int(total) for total, _ in self.tables]
        self.rows = []
        for _, body in self.tables:
            for count, trace in re.findall(r"^ *\d+ +[\d.]+% +[\d.]+% +(\d+) (\d+) ", body, re.M):
                self.rows.append(Row(int(count), *traces[trace]))
        # A thread may come or go (the VM's compiler threads do) between the last table and the file's end.
        self.whole = bool(self.tables) and bool(re.search(r"^CPU SAMPLES END\n(?:THREAD (?:START|END) .*\n)*\Z", text, re.M))
        print(self.quality, self.threads)    # pytest shows it if the test fails

    def with_frame(self, method):
        """Samples whose stack has this method."""
        return sum(row.count for row in self.rows if method in row.frames)

    def of_thread(self, name):
        """Samples of the threads of this name (with thread=y)."""
        return sum(row.count for row in self.rows if self.threads.get(row.thread) == name)

    @property
    def extra(self):
        """How many samples are there only by a weight above 1.

        A signal has the weight of all that passed on the thread's clock since the one before. Where a host takes the
        processor away and the clock goes on, one signal, wherever it comes, has the weight of all that time. So a law
        of shares holds for signals: what has a share s of the signals of B has at least s * (B - extra) of the samples.
        """
        q = self.quality
        others = 0 if "other_samples" in q else \
            sum(q[kind] for kind in ("gc_threads", "compiler_threads", "vm_threads", "other_threads"))
        return max(0, q["samples"] - q["thread_end"] - q.get("signal_lost", 0) - q.get("signal_blocked", 0) + others - (q["signals"] - q["signals_early"]))

    def check(self):
        """What holds for every file."""
        q = self.quality
        assert self.whole, "the file has no table or is cut off"
        assert q["samples"] == q["walked"] + q["failed"] + q["nameless"] + q["lost_ring_full"] + \
            q["thread_end"] + q["lost_memory_full"] + sum(q.get(name, 0) for name in APART), q
        assert sum(self.totals) == q["walked"], (self.totals, q)
        return self


def crash_files(ended):
    return [name for name in ended.files if name.startswith(("hs_err", "core"))]
