"""A VM that lacks a fact, as a newer one may: the fact is named, and another walker is used; nothing is guessed.

native/newer.c takes the fact out of the VM's own tables before our agent reads them.
SPDX-License-Identifier: Apache-2.0
"""
import pytest
from conftest import compile_library
from robust import Profile, classes, crash_files  # noqa: F401

# What is hidden, and what the message must name.
FACTS = [("JavaThread::_anchor", "JavaThread::_anchor"), ("nmethod::_method", "nmethod::_method"),
         ("_thread_in_Java", "_thread_in_Java"), ("ConstantPool::_pool_holder", "ConstantPool::_pool_holder")]


@pytest.fixture(scope="session")
def newer(tmp_path_factory):
    """The path of native/newer.c as an agent library."""
    return compile_library(tmp_path_factory, "newer")


@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.parametrize("hidden,named", FACTS, ids=[named.replace("::", ".") for _, named in FACTS])
def test_the_missing_fact_is_named_and_the_next_walker_used(run_java, jdk, newer, hidden, named):
    if hidden == "nmethod::_method" and 11 <= jdk.number <= 21:
        hidden = "CompiledMethod::_method"   # where those JDKs have it
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=16,cutoff=0,file=out.txt", "Truth", 300,
                     vm=["-agentpath:%s=%s" % (newer, hidden)])
    assert ended.rc == 0, ended.stderr
    notes = [line for line in ended.stderr.splitlines() if "does not work in this VM" in line]
    assert len(notes) == 1 and "walker vm" in notes[0], ended.stderr
    assert "(%s)" % named in notes[0] and notes[0].endswith("using agct"), notes
    profile = Profile(ended.text("out.txt")).check()
    assert profile.quality["walked"] > 0
    assert not crash_files(ended)


@pytest.mark.jdks("newest")
def test_asked_for_by_name_it_is_refused_with_the_fact(run_java, jdk, newer):
    ended = run_java(jdk, "cpu=samples,walker=vm,file=out.txt", "Truth", 100,
                     vm=["-agentpath:%s=JavaThread::_anchor" % newer])
    assert "walker=vm does not work in this VM: JavaThread::_anchor" in ended.stderr
    assert ended.rc == 0, "after the start no failure of ours ends a JVM"


@pytest.mark.jdks("newest")
def test_nothing_hidden_nothing_said(run_java, jdk):
    ended = run_java(jdk, "cpu=samples,file=out.txt", "Truth", 100)
    assert ended.rc == 0 and "does not work in this VM" not in ended.stderr
