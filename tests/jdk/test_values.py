"""Objects of value classes (JEP 401, JDK 28 with --enable-preview) have no identity: events tell of them without the object.

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest
from conftest import HERE, clean_environment
from jvmpi_agents import SOURCES, bridge, build_agent, path_of
from kept import made_once
from robust import crash_files

pytestmark = pytest.mark.jdks(since=28)
VM = ["--enable-preview", "-Xmx256m", "-XX:+UseSerialGC"]


@pytest.fixture
def classes(tmp_path_factory, jdk):
    """programs_value; takes the place of conftest's. Only the JDK that knows the preview compiles it."""
    source = HERE / "programs_value/Values.java"
    return made_once([source], lambda into: [jdk.tool("javac"), "--enable-preview", "--release", str(jdk.number), "-d", into, str(source)],
                     tmp_path_factory.mktemp("values"), clean_environment())


def sums(text):
    """{class: objects made} of the last table of sites."""
    found = {}
    for made, name in re.findall(r"^ *\d+ +[\d.]+% +[\d.]+% +\d+ +\d+ +\d+ +(\d+) +\d+ (\S+)$", text.rpartition("SITES BEGIN")[2], re.M):
        found[name] = found.get(name, 0) + int(made)
    return found


def count(text, name):
    return int(re.search(r"^  %s = (\d+)" % name, text, re.M).group(1))


@pytest.mark.parametrize("event", ["alloc", "live"])
def test_samples_tell_of_them_as_of_others(run_java, jdk, event):
    """As many points as nodes are made; the bound is seven standard errors, and 1 % for what is under way at the end."""
    ended = run_java(jdk, "event=%s,alloc=16k,cutoff=0,file=x.txt" % event, "Values", 1000, vm=VM)
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    text, found = ended.text("x.txt"), sums(ended.text("x.txt"))
    assert 0 < count(text, "alloc_values") < count(text, "alloc_samples")
    assert found["Values$Point"] > 0 and found["Values$Node"] > 0, found
    samples = count(text, "alloc_samples")
    share = found["Values$Point"] / (found["Values$Point"] + found["Values$Node"])
    assert abs(share - 0.5) < 3.5 / samples ** 0.5 + 0.01, (share, samples)


def test_none_is_called_live_and_that_is_said(run_java, jdk):
    """Of what lives, JVM TI has weak references: a value has no identity to hold one by."""
    ended = run_java(jdk, "event=live,alloc=512,cutoff=0,file=x.txt", "Values", 500, vm=VM)
    text = ended.text("x.txt")
    said = int(re.search(r"event=live: (\d+) of them are of value classes: they have no identity", ended.stderr)[1])
    assert ended.rc == 0 and said == count(text, "alloc_values") > 0
    rows = re.findall(r"^ *\d+ +[\d.]+% +[\d.]+% +(\d+) +(\d+) +\d+ +\d+ +\d+ (\S+)$", text.rpartition("SITES BEGIN")[2], re.M)
    live = {name for size, number, name in rows if int(size) or int(number)}
    assert "Values$Point" not in live and "Values$Node" in live and "Values$Point" in {name for _, _, name in rows}


def test_sites_count_all_that_have_an_identity_and_say_how_many_have_none(run_java, jdk):
    ended = run_java(jdk, "heap=sites,cutoff=0,file=x.txt", "Values", 500, vm=[*VM, "-XX:-DoEscapeAnalysis"])
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    text, found = ended.text("x.txt"), sums(ended.text("x.txt"))
    assert found["Values$Node"] > 0 and "Values$Point" not in found, found
    assert count(text, "sites_values") >= found["Values$Node"] // 2


def numbers_of(ended, what):
    return [int(number) for number in re.search("^value_objects: " + what, ended.stderr, re.M).groups()]


def test_jvmpi_dumps_leave_them_out(run_java, jdk, tmp_path_factory):
    """They get no id, whose tag the VM would find by comparing all that have one; what else there is has its record."""
    agent = build_agent(tmp_path_factory, SOURCES / "value_objects.c")
    ended = run_java(jdk, None, "Values", 10, 300, vm=[*VM, bridge(), "-Xrunvalue_objects"], env=path_of(agent))
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    assert "value_objects: whole 1, nodes 1000, points 0, told 0\n" in ended.stderr, ended.stderr
    objects, used, total = numbers_of(ended, r"collected: objects (\d+), bytes (\d+) of (\d+)$")
    is_whole, records, without_id, twice = numbers_of(ended, r"level 0: whole (\d), records (\d+), without id (\d+), twice (\d+)$")
    assert (is_whole, without_id, twice) == (1, 0, 0)
    assert records + 1000 <= objects < records + 3000, "GC_FINISH counts the points, too, as well as what no root leads to"
    assert 8 * objects < used <= total
