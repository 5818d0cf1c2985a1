"""hprof stack: cores of JVMs of aarch64, against what the JVM wrote at SIGQUIT just before.

The command for aarch64 reads them, and that of this machine's own CPU, if it is built.
SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import signal

import pytest

import emulated_core
from conftest import ROOT
from emulated import CPU, emulated
from test_stack import RUNNING, assert_same, stack, threads_of

if not CPU:
    pytest.skip("its JVMs are of another CPU: HPROF_CROSS=aarch64, see docs/aarch64.md", allow_module_level=True)
pytestmark = emulated
OWN = ROOT / "build/src/cli/hprof"


@pytest.fixture
def core_and_dump(start_java):
    def ask(java):
        java.signal(signal.SIGQUIT)
        java.wait_for_stdout("\nHeap\n")
        return re.search(r"^Full thread dump.*?^Heap$", java.out.read_text(), re.M | re.S).group()

    def make(jdk, *vm):
        return emulated_core.make_core(jdk, start_java, "StackDemo", before=ask, vm=vm)
    return make


def commands(hprof):
    return [hprof] + [str(OWN)] * OWN.exists()


@pytest.mark.parametrize("vm", [["-XX:+UseSerialGC"], ["-Xint"]], ids=["compiled", "interpreted"])
def test_a_core_of_aarch64_has_the_stacks_of_its_jvm(hprof, core_and_dump, jdk, vm):
    core, dump = core_and_dump(jdk, *vm)
    for command in commands(hprof):
        assert_same(threads_of(stack(command, "--java", core)[0]), threads_of(dump))
        crash = json.loads(stack(command, "--json", core)[0])
        assert crash["signal"] in (signal.SIGSEGV, signal.SIGABRT)
    core.unlink()


def test_its_native_frames_lead_to_the_start_of_each_thread(hprof, core_and_dump, jdk):
    """The C library and libjvm.so of arm64 have no frame pointers throughout, and sign return addresses: only tables lead on."""
    core, _ = core_and_dump(jdk, "-XX:+UseSerialGC")
    for command in commands(hprof):
        threads = threads_of(stack(command, core)[0])
        main = threads["main"].frames
        assert any("ObjectMonitor::wait" in frame for frame in main), main
        assert any("StackDemo.main(" in frame for frame in main), main
        assert any("JavaMain (libjli.so" in frame for frame in main), main
        for name, thread in threads.items():
            assert "libc.so" in thread.frames[-1] or name == RUNNING, (name, thread.frames)
    core.unlink()
