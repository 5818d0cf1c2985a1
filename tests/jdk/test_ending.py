"""What happens on a thread between its end, as JVM TI tells it, and its real one.

SPDX-License-Identifier: Apache-2.0
"""
import pytest

from conftest import compile_library


@pytest.fixture(scope="session")
def ending(tmp_path_factory):
    return compile_library(tmp_path_factory, "ending")


# Who asks at an allocation differs: the VM's sampler from JDK 11 on, injected calls and JNI's functions before.
@pytest.mark.jdks(8, "newest")
@pytest.mark.parametrize("order", ["first", "last"])
def test_objects_that_others_make_on_a_thread_that_has_ended(run_java, jdk, agent, ending, order):
    ours, theirs = "-agentpath:%s=heap=sites,thread=y,cutoff=0,file=out.txt" % agent, "-agentpath:%s" % ending
    ended = run_java(jdk, None, "Thr", vm=[ours, theirs] if order == "first" else [theirs, ours])
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "SITES END" in ended.text("out.txt")
