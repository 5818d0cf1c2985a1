"""Two libraries of ours in one JVM share what it has once, the allocation sampler and the flags, and leave each other's trackers alone.

libfloor.so and libweaver.so (native/*.c) stand on src/vm as libhprof.so does, and know nothing of it.
SPDX-License-Identifier: Apache-2.0
"""
import re

import hprof_text
import pytest
from conftest import built
from test_attach import attach  # noqa: F401 pylint: disable=unused-import
from test_sites import KINDS, by_method, check_kinds, parsed
from test_times import inline_limits

TIMES = 20000
FLAG = "MaxInlineSize"
LINE = re.compile(r"floor: (\d+) samples, ([\d.]+) objects, variance ([\d.]+), MaxInlineSize (\d+) (\d+)\n")
SIGMAS = 5


def floor(klass, interval):
    return "-agentpath:%s=%s,%d" % (built("tests/jdk/native/libfloor.so"), klass, interval)


def check_estimate(stderr, expected):
    line = LINE.search(stderr)
    assert line, stderr
    samples, objects, variance = int(line[1]), float(line[2]), float(line[3])
    assert samples > 100
    assert abs(objects - expected) <= SIGMAS * variance ** 0.5, line[0]
    return samples


# The sampler is in the VM from JDK 11 on; its flags differ there from the others'.
@pytest.mark.jdks(11, 17, "newest")
@pytest.mark.parametrize("order", ["first", "last"])
def test_each_library_hears_what_its_own_interval_gives(jdk, agent, run_java, order):
    """One counts every object, exactly; the other a part, and estimates the same number."""
    ours = "-agentpath:%s=heap=sites,depth=16,cutoff=0" % agent
    other = floor("LSitesKinds;", 2048)
    ended = run_java(jdk, None, KINDS, TIMES, vm=[ours, other] if order == "first" else [other, ours])
    check_kinds(by_method(parsed(ended, depth=16, cutoff=0), KINDS), TIMES)
    samples = check_estimate(ended.stderr, TIMES)
    assert samples < TIMES / 20    # and not every object


@pytest.mark.jdks(17)
def test_both_libraries_take_a_part_where_both_sample(jdk, agent, run_java):
    ours = "-agentpath:%s=heap=sites,sample=4k,depth=16,cutoff=0" % agent
    ended = run_java(jdk, None, KINDS, TIMES, vm=[ours, floor("LSitesKinds;", 1024)])
    check_estimate(ended.stderr, TIMES)
    found = by_method(parsed(ended, depth=16, cutoff=0), KINDS)["objects", "SitesKinds"].objects
    sampled = TIMES * 32 / 4096
    assert abs(found - TIMES) <= SIGMAS * TIMES / sampled ** 0.5


@pytest.mark.jdks(17)
def test_a_flag_is_what_it_was_when_the_last_library_gives_it_back(jdk, start_java, attach):    # noqa: F811
    """cpu=times lowers the limit to 9, the other library to 20, the VM has 35."""
    java = start_java(jdk, None, "Calls", "wait:first", vm=[floor("LCalls;", 1024)])
    java.wait_for_stdout("waiting for first")
    found = [inline_limits(jdk, java)[FLAG]]
    for options in "cpu=times,file=out.txt", "stop":
        assert "return code: 0" in attach(jdk, java, options)
        found.append(inline_limits(jdk, java)[FLAG])
    (java.cwd / "first").touch()
    ended = java.end()
    found += map(int, LINE.search(ended.stderr).groups()[3:])
    assert found == [20, 9, 20, 20, 35]


CALLS = 1000    # of Marked.say
WEAVING = "cpu=samples,interval=1ms,cpu=times,monitor=all,heap=sites,depth=4,cutoff=0,raw=y,file=out.txt"


def weaver():
    return "-agentpath:%s" % built("tests/jdk/native/libweaver.so")


def check_woven(ended):
    """Each has its calls, neither has injected a tracker, and none is in what either says of stacks."""
    assert ended.rc == 0, ended.stdout + ended.stderr
    assert "weaver: %d calls from Marked.say, 0 trackers\n" % CALLS in ended.stderr
    assert "nothing: marked!!\n" in ended.stdout, "its own change of the class"
    text = ended.text("out.txt")
    assert "Hprof_" not in text
    return hprof_text.Text(text)


@pytest.mark.jdks(8, 17, "newest")    # on JDK 8 heap=sites injects, too
@pytest.mark.parametrize("order", ["first", "last"])
def test_neither_library_weaves_or_shows_the_trackers_of_the_other(jdk, agent, run_java, order):
    ours = "-agentpath:%s=%s" % (agent, WEAVING)
    text = check_woven(run_java(jdk, None, "Marked", vm=[ours, weaver()] if order == "first" else [weaver(), ours]))
    assert sum(row.count for row in text.titled("CPU TIME (ms)")[-1].rows if row.method == "Marked.say") == CALLS
    # The work of its tracker is that of the method that calls it.
    ticks = {}
    for row in text.titled("CPU SAMPLES")[-1].rows:
        ticks[row.method] = ticks.get(row.method, 0) + row.count
    assert ticks.get("Marked.say", 0) >= CALLS * 0.2 / 2, ticks
