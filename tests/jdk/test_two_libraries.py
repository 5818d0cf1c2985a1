"""Two libraries of ours in one JVM share what it has once: the allocation sampler and the flags.

libfloor.so (native/floor.c) stands on src/vm as libhprof.so does, and knows nothing of it.
SPDX-License-Identifier: Apache-2.0
"""
import re

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
