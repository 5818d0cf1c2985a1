"""With an AOT cache (-XX:AOTCache, JDK 25 on) stubs and adapters come out of the cache, under other names: stacks are walked as
without it, and the VM goes on using the cache.

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import subprocess

import pytest
from attaching import load
from conftest import JDKS, TIMEOUT_S, agent_for, clean_environment, compile_programs
from robust import crash_files

pytestmark = pytest.mark.jdks(since=25)
VM = ["-Xmx256m", "-XX:+UseSerialGC"]    # a cache is for one kind of heap
LOG = "-Xlog:aot*:file=aot.log"
EVENTS = "event=cpu+alloc+live+wall,alloc=16k,wall=5ms,depth=64,cutoff=0"


def java(jdk, jar, options, *words):
    argv = [jdk.tool("java"), *VM, *words, "-cp", str(jar), "Mixed"]
    return argv + [str(word) for word in options]


@pytest.fixture(scope="session")
def jar(tmp_path_factory):
    """programs_verify: an archive holds classes of jars alone."""
    folder = compile_programs(tmp_path_factory, "programs_verify")
    path = tmp_path_factory.mktemp("aot") / "mixed.jar"
    subprocess.run([JDKS[max(JDKS)].tool("jar"), "cf", str(path), "-C", str(folder), "."], check=True, env=clean_environment())
    return path


def make_cache(jdk, jar, path, *words):
    return subprocess.run(java(jdk, jar, (1, 1), "-XX:AOTCacheOutput=%s" % path, *words), env=clean_environment(), cwd=str(path.parent),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S,
                          check=False).stdout


@pytest.fixture(scope="session")
def caches(tmp_path_factory, jar):
    """caches(jdk): one of each JDK."""
    made = {}

    def cache(jdk):
        if jdk.id not in made:
            path = tmp_path_factory.mktemp("aot" + jdk.id) / "mixed.aot"
            said = make_cache(jdk, jar, path)
            assert path.exists(), said
            made[jdk.id] = path
        return made[jdk.id]
    return cache


def check_use(folder, jdk):
    """The VM's own log says that it has taken classes from the cache, and code; some builds of JDK 25 keep none there."""
    log = (folder / "aot.log").read_text()
    assert "Using AOT-linked classes: true" in log, log[:2000]
    assert jdk.number < 27 or re.search(r"Loaded [1-9]\d* AOT code entries", log), log[:2000]
    assert "AOT Code Cache disabled" not in log


def check_profile(text, said):
    """Each engine had the walker. What lies in the heap while it is collected is asked of the VM: some in a hundred stacks."""
    assert "HPROF ERROR" not in said and "the walker vm" not in said and "asked of the VM" not in said, said
    count = {name: int(value) for name, value in re.findall(r"^  (\w+) = (\d+)", text, re.M)}
    assert count["alloc_samples"] > 100 and 2 * count["alloc_asked"] < count["alloc_samples"], count
    assert "EVENTS wall BEGIN" in text and "CPU SAMPLES BEGIN" in text
    assert count["walked"] > 0 and count["wall_lost"] == 0, count
    assert "Mixed." in text.partition("CPU SAMPLES BEGIN")[0]


def test_all_sources_of_stacks_agree(hprof, agent, jdk, jar, caches, tmp_path):
    """Platform and virtual threads, interpreted and compiled, against shadow stacks, JVM TI at stops and the VM's own walker."""
    out = tmp_path / "verify.json"
    command = java(jdk, jar, (2, 2), "-XX:AOTCache=%s" % caches(jdk), LOG)
    ended = subprocess.run([hprof, "verify", "--json", "-o", str(out), "--agent", str(agent), "--share", "30", "--rate", "2000",
                            "--random-walks", "20000", "--", *command], env=clean_environment(), cwd=str(tmp_path), stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    found = json.loads(out.read_text())
    counts = found["counts"]
    assert found["crashes"] == 0, ended.stderr
    check_use(tmp_path, jdk)
    entry, stop, shadow = counts["entry"], counts["safepoint"], counts["shadow"]
    assert entry["compared"] > 0 and entry["disagreed"] == 0, found["examples"]
    assert stop["compared"] > 0 and stop["agreed"] == stop["compared"], found["examples"]
    assert shadow["agreed"] > 100 and shadow["disagreed"] * 100 <= shadow["agreed"], found["examples"]
    assert counts["walk"]["complete"] > 0.99 * (counts["walk"]["samples"] - counts["walk"]["no_java"]), counts


def test_engines_measure_from_the_start(run_java, jdk, jar, caches):
    ended = run_java(jdk, EVENTS + ",file=x.txt", "-cp", jar, "Mixed", 2, 2, vm=[*VM, "-XX:AOTCache=%s" % caches(jdk), LOG])
    assert ended.rc == 0 and not crash_files(ended), ended.stderr
    check_use(ended.cwd, jdk)
    check_profile(ended.text("x.txt"), ended.stderr)


def test_engines_measure_in_a_running_vm(start_java, jdk, jar, caches):
    run = start_java(jdk, None, "-cp", jar, "Mixed", 100, 2, vm=[*VM, "-XX:AOTCache=%s" % caches(jdk), LOG])
    run.wait_for_cpu(0.5)
    assert load(run, agent_for(""), "start,%s,file=x.txt" % EVENTS) == 0, run.said()
    run.wait_for_cpu(1)
    assert load(run, agent_for(""), "stop") == 0, run.said()
    check_use(run.cwd, jdk)
    check_profile((run.cwd / "x.txt").read_text(), run.said())


@pytest.mark.parametrize("options, has_cache", [("event=cpu", True), ("cpu=times", False)], ids=["cpu", "times"])
def test_who_changes_classes_says_that_a_cache_can_be_missed(agent, jdk, jar, tmp_path, options, has_cache):
    path = tmp_path / "made.aot"
    said = make_cache(jdk, jar, path, "-agentpath:%s=%s,file=x.txt" % (agent, options))
    note = "HPROF: cpu=times changes classes: this JVM (-XX:AOTCacheOutput) leaves those out of its AOT cache, or makes no cache"
    assert path.exists() == has_cache, said
    assert (note in said) != has_cache, said
