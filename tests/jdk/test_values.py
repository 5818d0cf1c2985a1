"""Objects of value classes (JEP 401, JDK 28 with --enable-preview) have no identity: events tell of them without the object.

SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest
from conftest import HERE, clean_environment
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


def test_sites_count_all_that_have_an_identity_and_say_how_many_have_none(run_java, jdk):
    ended = run_java(jdk, "heap=sites,cutoff=0,file=x.txt", "Values", 500, vm=[*VM, "-XX:-DoEscapeAnalysis"])
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    text, found = ended.text("x.txt"), sums(ended.text("x.txt"))
    assert found["Values$Node"] > 0 and "Values$Point" not in found, found
    assert count(text, "sites_values") >= found["Values$Node"] // 2
