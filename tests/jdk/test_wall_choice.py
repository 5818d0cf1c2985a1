"""event=wall with a choice of threads: by name, state and daemon. What is left out costs no signal, and is counted.

Each thread of the program spends its time in one way, and says how long that took by its own clock.
SPDX-License-Identifier: Apache-2.0
"""
import re
import time

from asking import ask
from attaching import attach  # noqa: F401 pylint: disable=unused-import
import conftest
import pytest
from test_wall import INTERVAL_MS, LASTS_MS, OLD_AND_NEW, STATES, is_near, lives, rows_of, samples_of

OPTIONS = "event=wall,wall=%dms,depth=64,cutoff=0" % INTERVAL_MS
# Threads of the VM that run Java, which are daemons as those of the program are not.
DAEMONS = {"Reference Handler", "Finalizer"}


def quality_of(text):
    """{name: count} of the last table."""
    return {name: int(count) for name, count in re.findall(r"^  (wall_\w+) = (\d+)", text, re.M)}


def run_spends(run_java, jdk, options, **keywords):
    ended = run_java(jdk, "%s,%s" % (OPTIONS, options), "Spends", LASTS_MS, **keywords)
    assert ended.rc == 0 and ended.stdout.endswith("done\n"), ended.stdout + ended.stderr
    return ended


@OLD_AND_NEW
def test_states(jdk, run_java):
    """Of the threads that do it all is there; nothing is of the others."""
    ended = run_spends(run_java, jdk, "wallstates=sleeping+parked+blocked")
    rows, known, quality = rows_of(ended.text()), lives(ended.stdout), quality_of(ended.text())
    assert {state for _, _, state in rows} <= {"sleeping", "parked", "blocked"}
    found = samples_of(ended.text())
    for thread in ("sleeps", "parks", "enters"):
        assert found[thread][STATES[thread]] * INTERVAL_MS >= 0.8 * known[thread], (thread, known, found)
    assert not {"reads", "computes", "waits"} & {thread for thread in found if thread and sum(found[thread].values()) > 5}, found
    assert quality["wall_left_out"] * INTERVAL_MS >= 0.8 * (known["reads"] + known["computes"] + known["waits"])
    assert quality["wall_left_threads"] == 0 and quality["wall_lost"] == 0
    assert "wall-clock samples: %d; %d more are left out" % (sum(row[0] for row in rows), quality["wall_left_out"]) in ended.stderr


@OLD_AND_NEW
def test_names(jdk, run_java):
    ended = run_spends(run_java, jdk, "wallthreads=s*s:parks:comp*,wallexclude=parks")
    found, known, quality = samples_of(ended.text()), lives(ended.stdout), quality_of(ended.text())
    assert {"sleeps", "computes"} <= set(found) <= {"sleeps", "computes", None}, found
    for thread in ("sleeps", "computes"):
        assert is_near(sum(found[thread].values()), known[thread]), (thread, known, found)
    left = sum(known[thread] for thread in known if thread not in ("sleeps", "computes"))
    assert quality["wall_left_out"] * INTERVAL_MS >= 0.8 * left
    assert quality["wall_left_threads"] >= len(DAEMONS) + 5, "waits, parks, reads, enters, main, and the VM's"


@OLD_AND_NEW
def test_daemons(jdk, run_java):
    texts = {choice: run_spends(run_java, jdk, "walldaemon=%s,thread=y" % choice).text() for choice in ("y", "n")}
    threads = dict(re.findall(r'^THREAD START \(obj=\w+, id = (\d+), name="([^"]*)"', texts["y"], re.M))
    assert DAEMONS <= set(threads.values())
    for choice, text in texts.items():
        names = dict(re.findall(r'^THREAD START \(obj=\w+, id = (\d+), name="([^"]*)"', text, re.M))
        seen = {names[thread] for thread in re.findall(r"^TRACE \d+: \(thread=(\d+)\)", text, re.M) if thread in names}
        assert bool(DAEMONS & seen) == (choice == "y") and bool(set(STATES) & seen) == (choice == "n"), seen
        assert quality_of(text)["wall_left_threads"] > 0


@pytest.mark.jdks(17)
def test_who_is_not_wanted_gets_no_signal(jdk, run_java, tmp_path, tmp_path_factory):
    counts = {}
    for choice in ("walldaemon=all", "wallstates=sleeping+waiting", "wallthreads=sleeps"):
        asked = tmp_path / choice
        asked.write_bytes(bytes(4))
        run_spends(run_java, jdk, choice, env={"ASKED": str(asked), "LD_PRELOAD": str(conftest.compile_library(tmp_path_factory, "asked", "-ldl"))})
        counts[choice] = int.from_bytes(asked.read_bytes()[:4], "little")
    assert counts["wallstates=sleeping+waiting"] == 0 < counts["wallthreads=sleeps"] + 1 <= counts["walldaemon=all"] / 4, counts


@pytest.mark.jdks(17)
def test_each_recording_has_its_choice(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    java = start_java(jdk, None, "Spends", 20000)
    java.wait_for_stdout("begun")
    choices = {"one": "wallthreads=sleeps:computes", "two": "wallstates=parked", "all": "walldaemon=all"}
    for name, choice in choices.items():
        assert "return code: 0" in attach(jdk, java, "start,%s,%s,file=%s.txt,name=%s" % (OPTIONS, choice, name, name))
    time.sleep(2)
    for name in choices:
        assert "return code: 0" in attach(jdk, java, "stop,%s" % name)
    java.process.kill()
    texts = {name: (java.cwd / (name + ".txt")).read_text() for name in choices}
    found = {name: samples_of(text) for name, text in texts.items()}
    assert {"sleeps", "computes"} == set(found["one"]) and set(STATES) <= set(found["all"]), found
    assert {state for _, _, state in rows_of(texts["two"])} == {"parked"} and "parks" in found["two"]
    quality = {name: quality_of(text) for name, text in texts.items()}
    assert "wall_left_out" not in quality["all"] and quality["one"]["wall_left_threads"] >= 5 and quality["two"]["wall_left_threads"] == 0


@pytest.mark.jdks(8, 25)
def test_the_command_has_words_for_it(jdk, start_java, hprof):
    java = start_java(jdk, None, "Spends", 20000)
    java.wait_for_stdout("begun")
    for number, words in enumerate((["--wall-threads", "par*,sleeps"], ["--wall-states", "sleeping,parked", "--wall-daemon", "n"])):
        out = java.cwd / ("out%d.txt" % number)
        ask(hprof, "record", "-e", "wall", "-O", "wall=10ms", "-O", "depth=64", *words, "-d", "1s", "-o", out, java.pid)
        assert {"sleeps", "parks"} <= set(samples_of(out.read_text())) <= {"sleeps", "parks", None}
    java.process.kill()
    for words, said in ((["--wall-states", "walking"], "words of running|native"), (["--wall-daemon", "maybe"], "y|n|all")):
        assert said in ask(hprof, "record", "-e", "wall", *words, java.pid, status=2)[1]
