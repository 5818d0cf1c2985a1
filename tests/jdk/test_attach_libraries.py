"""Loading the agent into a JVM that has hundreds of libraries (async-profiler#1406: it read all of them in the VM's own thread, which
no safepoint could pass).

What is looked at is who opens the libraries' files, and the CPU time of the thread that loads the agent: the time on the clock is the
machine's. SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import os
import pathlib
import struct

import pytest

from attaching import attach  # noqa: F401
from conftest import compile_library, compile_programs

LIBRARIES = 300
IN_OPEN, IN_NONBLOCK = 0x20, 0x800
ROOM = 1 << 20


class Opens:
    """How often files of a folder are opened."""
    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(IN_NONBLOCK)
        assert self.fd >= 0 and libc.inotify_add_watch(self.fd, os.fsencode(folder), IN_OPEN) >= 0, os.strerror(ctypes.get_errno())

    def count(self):
        count = 0
        try:
            while True:
                events, at = os.read(self.fd, ROOM), 0
                while at < len(events):
                    at += 16 + struct.unpack_from("iIII", events, at)[3]
                    count += 1
        except BlockingIOError:
            return count


def listener_ms(java):
    """The CPU time of the thread that loads agents."""
    for task in pathlib.Path("/proc/%d/task" % java.pid).iterdir():
        if (task / "comm").read_text() == "Attach Listener\n":
            return int((task / "schedstat").read_text().split()[0]) / 1e6
    return 0


@pytest.fixture(scope="session")
def loading_classes(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_libraries", 8)


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(17)
@pytest.mark.parametrize("options", ["cpu=samples", "cpu=samples,native=y"])
def test_the_vm_waits_for_no_library_of_the_program(jdk, options, start_java, attach, loading_classes, tmp_path, tmp_path_factory):  # noqa: F811 pylint: disable=redefined-outer-name
    folder = tmp_path / "libraries"
    folder.mkdir()
    library = compile_library(tmp_path_factory, "chain", "-g", "-fomit-frame-pointer").read_bytes()
    for i in range(LIBRARIES):
        (folder / ("libcopy%d.so" % i)).write_bytes(library)
    spent = []
    for loaded in (0, LIBRARIES):
        java = start_java(jdk, None, "-cp", loading_classes, "Libraries", folder, loaded)
        java.wait_for_stdout("loaded")
        mapped = (pathlib.Path("/proc/%d/maps" % java.pid)).read_text()
        assert len({line.split()[-1] for line in mapped.splitlines() if str(folder) in line}) == loaded
        opens = Opens(folder)
        assert "return code: 0" in attach(jdk, java, options + ",file=x.txt")
        spent.append(listener_ms(java))
        assert opens.count() == 0 or "native=y" in options  # then a thread of ours reads them
        (java.cwd / "done").touch()
        assert java.end().rc == 0
        os.close(opens.fd)
    assert spent[1] < 3 * spent[0] + 50, spent
