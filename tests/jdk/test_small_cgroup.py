"""Programs in memory cgroups that are hardly larger than what they need: what is ours gives up first, and says so.

The limit is the most that the same program took in some runs without the agent, and 16 MB. Needs root; skipped where no cgroup can
be made. SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess

import pytest
from conftest import TIMEOUT_S, Ended, clean_environment, one_jdk
from test_heapdump_memory import group  # noqa: F401 pylint: disable=unused-import

MEGABYTES = 16
BARE_RUNS = 4    # one run may take some megabytes less than the next one
OBJECTS = 1500000
VM = ["-XX:+UseSerialGC", "-Xmx128m"]
DONE = "kept %d lists" % (OBJECTS // 100)
FULL = re.compile(r"(?m)^HPROF: heap=: the memory cgroup has (\d+) MB of (\d+) MB left, and (\d+) MB are needed \((\d+) MB of them stay free\): "
                  r"\d+ objects? ha(?:s|ve) no tag for (?:its|their) site, and (?:is|are) not known to live; a higher limit of memory has them$")


@pytest.fixture
def run_in_group(group, agent, classes, tmp_path):  # noqa: F811 pylint: disable=redefined-outer-name
    """HeapKeep in that group, with the agent's options or without it: how it ended."""

    def run(jdk, options=None):
        cwd = tmp_path / "run"
        cwd.mkdir(exist_ok=True)
        loaded = ["-agentpath:%s=%s" % (agent, options)] if options else []
        argv = [*group.entered(), jdk.tool("java"), *VM, *loaded, "-cp", str(classes), "HeapKeep", str(OBJECTS)]
        ran = subprocess.run(argv, cwd=str(cwd), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, check=False, timeout=TIMEOUT_S, env=clean_environment())
        return Ended(ran.returncode, ran.stdout, ran.stderr, cwd)

    return run


def limit_to_what_it_needs(jdk, group, run_in_group):  # noqa: F811 pylint: disable=redefined-outer-name
    for _ in range(BARE_RUNS):
        assert DONE in run_in_group(jdk).stdout
    group.limit_to_peak(MEGABYTES)


@pytest.mark.parametrize("mode", ["heap=sites", "heap=dump", "heap=all", "cpu=samples"])
def test_the_program_lives_where_it_lived_without_us(jdk, mode, group, run_in_group):  # noqa: F811 pylint: disable=redefined-outer-name
    limit_to_what_it_needs(jdk, group, run_in_group)
    ended = run_in_group(jdk, mode)
    assert ended.rc == 0 and DONE in ended.stdout, ended
    said = FULL.findall(ended.stderr)
    assert len(said) == (mode != "cpu=samples"), ended.stderr
    for left, limit, needed, spare in (map(int, numbers) for numbers in said):
        assert left < needed and left < limit == int((group.folder / group.limit).read_text()) >> 20 and 0 < spare < needed, ended.stderr


@one_jdk
@pytest.mark.jdks(8, "newest")
def test_what_was_allocated_is_known_all_the_same(jdk, group, run_in_group):  # noqa: F811 pylint: disable=redefined-outer-name
    """The table goes by what was allocated: what lives is not known any more."""
    limit_to_what_it_needs(jdk, group, run_in_group)
    ended = run_in_group(jdk, "heap=sites")
    assert ended.rc == 0, ended
    text = ended.text()
    assert "SITES BEGIN (ordered by allocated bytes)" in text
    top = text[text.index("SITES BEGIN"):].splitlines()[3].split()
    live, allocated = int(top[4]), int(top[6])
    assert top[-1] == "HeapKeep$Node" and live < allocated and allocated >= OBJECTS, top
