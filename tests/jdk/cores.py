"""Core files of JVMs, which the kernel writes.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import resource
import signal

import pytest

from conftest import TIMEOUT_S


def dump_core(java, folder):
    """The core that the kernel writes; None where core_pattern leads elsewhere."""
    before = set(folder.iterdir())
    java.signal(signal.SIGSEGV)
    java.process.wait(TIMEOUT_S)
    found = [path for path in set(folder.iterdir()) - before if path.name.startswith("core")]
    return found[0] if found else None


@pytest.fixture
def make_core(start_java):
    """make_core(jdk, filter, ...): (core, what `before` said of the running JVM); the filter is that of /proc/PID/coredump_filter."""
    def make(jdk, filter_bits, *args, options=None, before=lambda java: None, vm=(), program="StackDemo"):
        limits = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
        try:
            java = start_java(jdk, options, program, *args, vm=("-Xmx32m", "-XX:ErrorFile=/dev/null", *vm))
        finally:
            resource.setrlimit(resource.RLIMIT_CORE, limits)
        java.wait_for_stdout("ready")
        said = before(java)
        pathlib.Path("/proc/%d/coredump_filter" % java.pid).write_text(filter_bits)
        core = dump_core(java, java.cwd)
        if core is None:
            pytest.skip("the kernel writes no core into the folder: see /proc/sys/kernel/core_pattern, ulimit -c")
        return core, said
    return make
