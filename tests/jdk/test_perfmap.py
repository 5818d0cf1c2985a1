"""hprof perfmap: the code of a JVM against its own lists of it, and in perf's report.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import shutil
import stat
import subprocess

import pytest

from asking import ask, told
from conftest import TIMEOUT_S, clean_environment

# "id level state Class.method(signature) [block, code - end]"
COMPILED = re.compile(r"^\d+ \d+ -?\d+ ([^(\n]+)\S* \[0x\w+, 0x(\w+) - 0x(\w+)\]", re.M)
# "int Class.method(int)", as against the names of stubs
METHOD = re.compile(r"(?:\S+ )?(\S+)\(.*\)$")


@pytest.fixture
def spinning(start_java, tmp_path):
    """spinning(jdk, *options): a JVM that has compiled what it runs."""
    def start(jdk, *vm):
        java = start_java(jdk, None, "Spin", tmp_path / "never", vm=("-Xmx64m", *vm))
        java.wait_for_cpu(1)
        return java
    return start


def pieces_of(text):
    """A map as a dict: address -> (length, name)."""
    rows = [line.split(" ", 2) for line in text.splitlines()]
    found = {int(address, 16): (int(length, 16), name) for address, length, name in rows}
    assert len(found) == len(rows), "two pieces at one address"
    return found


def map_of(hprof, java, *options):
    return pieces_of(ask(hprof, "perfmap", *options, "-o", "-", java.pid)[0])


def compiled(jdk, java):
    found = COMPILED.findall(told(jdk, "jcmd", java.pid, "Compiler.codelist"))
    return {(int(start, 16), int(end, 16) - int(start, 16), name) for name, start, end in found}


# A code cache in one part and in three, and the two kinds of headers of its blocks.
@pytest.mark.jdks(11, since=17)
@pytest.mark.everyday(11, "newest")
@pytest.mark.parametrize("cache", ["-XX:-SegmentedCodeCache", "-XX:+SegmentedCodeCache"])
def test_methods_are_those_that_the_vm_lists(hprof, spinning, jdk, cache):
    java = spinning(jdk, cache)
    before = compiled(jdk, java)
    ours = {(start, length, name) for start, (length, name) in map_of(hprof, java).items()}
    after = compiled(jdk, java)
    assert len(before & after) >= 10
    assert before & after <= ours
    starts = {start for start, *_ in before | after}
    assert {piece for piece in ours if piece[0] in starts} <= before | after


# JDK 17 and 21 have a command of their own that writes what perf reads; 25 spoils the addresses.
@pytest.mark.jdks(17, 21)
@pytest.mark.everyday(21)
def test_stubs_are_those_of_the_vms_own_map(hprof, spinning, jdk):
    java = spinning(jdk, "-Xint")
    path = pathlib.Path("/tmp/perf-%d.map" % java.pid)
    try:
        ours = map_of(hprof, java)
        told(jdk, "jcmd", java.pid, "Compiler.perfmap")
        theirs = {start: (length, METHOD.sub(r"\1", name)) for start, (length, name) in pieces_of(path.read_text()).items()}
    finally:
        path.unlink(missing_ok=True)
    assert len(ours) > 100 and "Interpreter" in {name for _, name in ours.values()}
    # Attaching may make native wrappers.
    assert ours.items() <= theirs.items()
    assert len(theirs) - len(ours) < 10


# The oldest layout, whose VM lists nothing itself, and the newest.
@pytest.mark.jdks(8, "newest")
@pytest.mark.everyday(8)
def test_perf_shows_the_names(hprof, spinning, jdk, tmp_path):
    perf = shutil.which("perf")
    data = tmp_path / "perf.data"
    java = spinning(jdk)
    record = ["record", "-q", "-F", "200", "-e", "cpu-clock", "-o", str(data), "-p", str(java.pid), "--", "sleep", "1"]
    if not perf or subprocess.run([perf, *record], check=False, timeout=TIMEOUT_S, env=clean_environment()).returncode != 0:
        pytest.skip("there is no perf here, or it may not look at processes")
    path = pathlib.Path("/tmp/perf-%d.map" % java.pid)
    try:
        assert str(path) in ask(hprof, "perfmap", "--tiers", java.pid)[1]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        shown = subprocess.run([perf, "report", "--stdio", "--sort", "symbol", "-i", str(data)], check=True, text=True,
                               stdout=subprocess.PIPE, timeout=TIMEOUT_S, env=clean_environment()).stdout
    finally:
        path.unlink(missing_ok=True)
    hot = sum(float(share) for share in re.findall(r"([\d.]+)% .* (?:CpuHot\.hot|Spin\.main) \[C2\]", shown))
    assert hot > 80, shown


# The VM takes no part.
@pytest.mark.jdks(17)
def test_a_link_in_its_place_is_not_followed(hprof, spinning, jdk, tmp_path):
    java = spinning(jdk)
    mine = tmp_path / "mine"
    mine.write_text("precious")
    path = pathlib.Path("/tmp/perf-%d.map" % java.pid)
    path.symlink_to(mine)
    try:
        for _ in range(2):    # the second time a map is there
            ask(hprof, "perfmap", java.pid)
            assert stat.S_ISREG(path.lstat().st_mode) and pieces_of(path.read_text())
        path.unlink()
        path.mkdir()
        assert "cannot write '%s'" % path in ask(hprof, "perfmap", java.pid, status=1)[1]
        path.rmdir()
    finally:
        if path.is_file():
            path.unlink()
    assert mine.read_text() == "precious"
    assert not list(path.parent.glob(path.name + "*"))
    out = tmp_path / "out.map"
    ask(hprof, "perfmap", "-o", out, java.pid)
    assert pieces_of(out.read_text())


def test_what_cannot_be_mapped_is_said(hprof):
    sleeper = subprocess.Popen(["sleep", "60"])
    try:
        assert "not a JVM" in ask(hprof, "perfmap", sleeper.pid, status=1)[1]
    finally:
        sleeper.kill()
        sleeper.wait()
    assert "no such process" in ask(hprof, "perfmap", sleeper.pid, status=1)[1]
    assert "no target named" in ask(hprof, "perfmap", status=2)[1]
    assert "one JVM at a time" in ask(hprof, "perfmap", "-o", "-", "all", status=2)[1]
