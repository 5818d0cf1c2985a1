"""event=exception and event=thrown: exceptions by class and trace.

The program makes and throws known numbers of known classes.
SPDX-License-Identifier: Apache-2.0
"""
import collections

import hprof_text
from conftest import old_and_new
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from emulated import emulated, not_emulated

pytestmark = emulated

TIMES = 50
SIGMAS = 6
# Else compiled code throws one NullPointerException again and again.
ALL_OF_THE_VM = ["-XX:-OmitStackTraceInFastThrow"]


def rows_of(text):
    """{(method of the program, class): exceptions} of the last table."""
    parsed = hprof_text.Text(text)
    found = collections.Counter()
    for (trace, klass), (count,) in parsed.of(hprof_text.Events)[-1].rows.items():
        frames = parsed.traces[trace].frames
        if frames and frames[0].klass.startswith("Throws"):
            found[frames[0].method, klass] += count
    return found


def test_what_is_constructed_by_class_and_where(jdk, run_java):
    """Of few exceptions, none is left out."""
    ended = run_java(jdk, "event=exception,cutoff=0,depth=16", "Throws", TIMES, 20)
    assert ended.rc == 0, ended.stderr
    assert rows_of(ended.text()) == {
        ("plain", "Throws$Plain"): TIMES,
        ("derived", "Throws$Derived"): TIMES,
        ("light", "Throws$Light"): TIMES,
        ("wrapper", "Throws$Wrapper"): TIMES,
        ("<init>", "java.lang.IllegalStateException"): TIMES,
        ("thrownTwice", "java.lang.UnsupportedOperationException"): TIMES,
        ("ofTheVm", "java.lang.NullPointerException"): TIMES,
    }


@pytest.mark.jdks(8, 17, "newest")
def test_each_throw_by_the_event_of_the_vm(jdk, run_java):
    ended = run_java(jdk, "event=thrown,cutoff=0,depth=16", "Throws", TIMES, 20)
    assert ended.rc == 0, ended.stderr
    assert rows_of(ended.text()) == {
        ("plain", "Throws$Plain"): TIMES,
        ("light", "Throws$Light"): TIMES,
        ("thrownTwice", "java.lang.UnsupportedOperationException"): 2 * TIMES,
        ("ofTheVm", "java.lang.NullPointerException"): TIMES,
    }


@not_emulated("it makes too few exceptions a second for a burst")
@pytest.mark.jdks(17)
def test_a_burst_is_estimated_and_counted(jdk, run_java):
    times = 20000
    text = run_java(jdk, "event=exception,cutoff=0,depth=16", "Throws", times, 0,
                    vm=ALL_OF_THE_VM).text()
    rows, quality = rows_of(text), hprof_text.Text(text).quality()
    assert 7 * times <= quality["exceptions"] < 7 * times + 1000
    assert quality["exceptions_looked_at"] < quality["exceptions"] / 4
    for key, klass in (("plain", "Throws$Plain"), ("light", "Throws$Light")):
        # Weights differ; none is larger than all of a window by those that are taken whole.
        deviation = (times * quality["exceptions"] / quality["exceptions_looked_at"]) ** 0.5
        assert abs(rows[key, klass] - times) < SIGMAS * 2 * deviation


@not_emulated("its JVM starts so slowly that the signal of the question ends it")
@old_and_new
@pytest.mark.jdks(8, 17, "newest")
def test_after_an_attach_and_again(jdk, start_java, attach):    # noqa: F811
    # Rounds of seven exceptions, 10 ms apart: few enough that none is left out, so CPU time passes slowly.
    java = start_java(jdk, None, "Throws", 100000, 10, vm=ALL_OF_THE_VM)
    java.wait_for_cpu(0.1)
    for number in 1, 2:
        assert "return code: 0" in attach(jdk, java, "start,event=exception,cutoff=0,file=%d.txt" % number)
        java.wait_for_cpu(0.05)
        assert "return code: 0" in attach(jdk, java, "stop")
        rows = rows_of((java.cwd / ("%d.txt" % number)).read_text())
        assert max(rows.values()) - min(rows.values()) <= 1 and rows["plain", "Throws$Plain"] > 0
    assert "return code: 0" not in attach(jdk, java, "start,event=thrown,file=3.txt")
    java.process.kill()
    ended = java.end()
    assert "can_generate_exception_events" in ended.stderr and "use event=exception" in ended.stderr
