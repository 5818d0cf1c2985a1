"""hprof top: busy threads first, with their frames and CPU time, of one JVM and of all.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import re
import shutil
import signal
import subprocess

import pytest

from asking import ask, unshare
from conftest import TIMEOUT_S, compile_library, wait_until


@pytest.fixture
def spinning(start_java, tmp_path):
    """spinning(jdk, *options): a JVM whose first thread runs, in one method."""
    def start(jdk, *vm):
        java = start_java(jdk, None, "Spin", tmp_path / "never", vm=("-Xmx64m", *vm))
        java.wait_for_stdout("spinning")
        return java
    return start


def pages(hprof, *args):
    return [json.loads(line) for line in ask(hprof, "top", "--json", *args)[0].splitlines()]


def pages_with_looks(hprof, *args):
    """Pages for each of which the JVM was stopped, as on a machine that has time for it."""
    got = []

    def all_have():
        got[:] = pages(hprof, *args)
        return all(page["looks"]["page"] for page in got)
    wait_until(all_have, "pages with looks of their own")
    return got


def thread_of(page, name):
    return next(thread for thread in page["threads"] if thread["name"] == name)


# Frames and states are read in the memory of the VM.
@pytest.mark.jdks(8, 17, "newest")
@pytest.mark.everyday(8, "newest")
def test_the_busy_thread_is_the_first(hprof, spinning, jdk):
    java = spinning(jdk, "-XX:-Inline")    # inlined, a loop without a safepoint is its caller's where the compiler left no debug information
    java.wait_for_cpu(0.5)
    first, second = pages_with_looks(hprof, "-n", 2, "-d", 1, "--frames", 16, "--looks", 10, java.pid)
    for page in first, second:
        busy = page["threads"][0]
        assert busy["name"] == "main" and busy["state"] == "RUNNABLE" and busy["java"]
        assert busy["frames"][-1] == "Spin.main"
        assert 0 < busy["cpu_percent"] <= page["cpu_percent"] + 1
        assert page["main"] == "Spin" and page["heap"]["size"] > 0 and page["looks"]["failed"] == 0
    # A look is one moment, which may be between two calls.
    assert {"CpuHot.hot", "java.io.File.exists"} & set(first["threads"][0]["frames"] + second["threads"][0]["frames"])
    waits = thread_of(second, "Finalizer")
    assert waits["cpu_percent"] < busy["cpu_percent"] / 2 and waits["state"].startswith("WAITING")
    methods = second["methods"]
    assert methods["looks"] >= 2 and methods["seen"] >= 1 and methods["rows"][0]["name"] == "CpuHot.hot"
    assert any(not thread["java"] for thread in second["threads"]), "no thread of the VM itself"


@pytest.mark.jdks(17)
def test_a_page_comes_where_a_stop_took_long(hprof, start_java, jdk, tmp_path, tmp_path_factory):
    """A hundredth of the time after a stop of a third of a second is half a minute; the page is made without one."""
    java = start_java(jdk, None, "Spin", tmp_path / "never",
                      vm=("-Xmx64m",), env={"LD_PRELOAD": compile_library(tmp_path_factory, "unstoppable")}.items())
    java.wait_for_stdout("spinning")
    # On a busy machine the first stop may fall into the time of the first page or the second.
    first, second = [page for page in pages(hprof, "-n", 4, "-d", "500ms", java.pid) if page["looks"]["page"] is False][-2:]
    for page in first, second:
        assert page["looks"]["longest_stop_ms"] > 20 and page["looks"]["failed"] == 0
        assert thread_of(page, "main")["cpu_percent"] > 0 and thread_of(page, "Finalizer")["frames"]
    assert second["looks"]["count"] == first["looks"]["count"], "no other stop meanwhile"
    # Those of the last stop, rather than none.
    assert second["frames_age_s"] > 0 and thread_of(second, "main")["frames"]
    text = ask(hprof, "top", "--batch", "-n", 3, "-d", "500ms", java.pid)[0]
    assert re.search(r"\nno look for this page: .*; frames of running threads are [\d.]+ s old\n", text)


@pytest.mark.jdks(17)
def test_cpu_time_is_that_of_the_kernel(hprof, spinning, jdk):
    java = spinning(jdk)
    watched = subprocess.Popen([hprof, "top", "--json", "-d", "500ms", "-n", "4", "--rows", "0", str(java.pid)], stdout=subprocess.PIPE, text=True)
    with watched:
        found = [json.loads(line) for line in watched.stdout]
    for page in found[1:]:
        # A thread that ended has no row, and threads are read one after another.
        rows = sum(thread["cpu_percent"] for thread in page["threads"])
        assert abs(rows - page["cpu_percent"]) < 10, page


@pytest.mark.jdks(8, "newest")
@pytest.mark.everyday("newest")
def test_what_threads_allocate(hprof, start_java, jdk):
    java = start_java(jdk, None, "HeapChurn", "600", "never", vm=("-Xmx64m",))
    java.wait_for_cpu(0.3)
    page = pages(hprof, "-o", "mem", "--rows", 3, java.pid)[0]
    # The VM counts the same bytes for the program itself.
    assert page["alloc_bytes_per_s"] > 1e6 and page["heap"]["pauses"] > 0
    rates = [thread.get("alloc_bytes_per_s", 0) for thread in page["threads"]]
    assert rates == sorted(rates, reverse=True) and rates[0] > 1e6


@pytest.mark.jdks(17, 21)
def test_all_jvms_are_listed(hprof, spinning, jdk):
    java = spinning(jdk)
    rows = pages(hprof, "--rows", 0)[0]["jvms"]
    row = next(row for row in rows if row["pid"] == java.pid)
    assert row["main"] == "Spin" and row["cpu_percent"] > 0 and row["heap"]["size"] > 0
    assert [row["cpu_percent"] for row in rows] == sorted((row["cpu_percent"] for row in rows), reverse=True)
    text = ask(hprof, "top", "--batch", "--filter", "spi", "--width", 80)[0].splitlines()
    assert text[2].split()[:3] == ["PID", "USER", "%CPU"]
    assert any(line.split()[-2:] == [row["jdk"], "Spin"] for line in text[3:])     # as long as it is: 21.0.13.0.3
    assert all("Spin" in line for line in text[3:]) and max(map(len, text)) <= 80


@pytest.mark.jdks(17)
def test_the_text_fits_its_width(hprof, spinning, jdk):
    java = spinning(jdk)
    text = ask(hprof, "top", "-b", "-w", 80, "--rows", 4, "--filter", "main", java.pid)[0].splitlines()
    assert max(map(len, text)) <= 80
    head = text.index("", 0) + 1
    assert text[head].split() == ["TID", "%CPU", "ALLOC/s", "S", "STATE", "THREAD", "FRAMES"]
    assert "main" in text[head + 1] and re.search("CpuHot.hot|File|UnixF", text[head + 1])    # shortened to its column
    methods = text[next(i for i, line in enumerate(text) if "few looks, a rough idea" in line) + 1:]
    assert any(line.endswith(" % CpuHot.hot") for line in methods)
    assert text[4].startswith("looks ") and "each a stop" in text[4]


@pytest.mark.jdks(17)
def test_a_jvm_without_a_file_of_counters(hprof, spinning, jdk):
    java = spinning(jdk, "-XX:+PerfDisableSharedMem")
    assert pages(hprof, java.pid)[0]["heap"]["size"] > 0
    java = spinning(jdk, "-XX:-UsePerfData")
    out, said = ask(hprof, "top", "--json", java.pid)
    page = json.loads(out)
    assert "heap" not in page and page["threads"][0]["name"] == "main"
    assert said == "hprof: %d: the JVM has no counters: it was started with -XX:-UsePerfData\n" % java.pid


@pytest.mark.jdks(17)
def test_a_jvm_that_is_never_stopped(hprof, spinning, jdk):
    java = spinning(jdk)
    out, said = ask(hprof, "top", "-b", "--no-stop", "--rows", 0, java.pid)
    assert "looks without stopping it" in out and "java.lang.Object.wait" in out and said == ""
    assert "Methods of running threads" not in out


@pytest.mark.jdks(17)
def test_the_end_of_the_jvm_is_the_end(hprof, spinning, jdk):
    java = spinning(jdk)
    watched = subprocess.Popen([hprof, "top", "-b", "-d", "200ms", str(java.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert watched.stdout.readline() != ""
    java.signal(signal.SIGKILL)
    java.process.wait()
    said = watched.communicate(timeout=TIMEOUT_S)[1]
    assert said == "hprof: %d: the JVM has ended\n" % java.pid and watched.returncode == 0
    assert "no such process" in ask(hprof, "top", "-b", java.pid, status=1)[1]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs another user")
@pytest.mark.jdks(8, 17)
@pytest.mark.parametrize("words", ["top --batch --no-stop -d 50ms", "stat"])
def test_a_number_that_is_used_again_is_another_process(hprof, classes, jdk, tmp_path, words):
    """The JVM ends between two looks, and its number is given to a program that goes on."""
    script = """"$0" -Xmx64m -cp "$1" Spin never > out & java=$!
        until grep -q spinning out; do sleep 0.05; done
        "$2" $3 $java $4 > shown & watch=$!
        until [ $(wc -l < shown) -ge 2 ]; do sleep 0.05; done
        kill -STOP $watch; kill -9 $java; wait $java
        echo $((java - 1)) > /proc/sys/kernel/ns_last_pid
        sleep 1000 & again=$!
        kill -CONT $watch
        [ $again = $java ] || echo "not used again: $again $java"
        wait $watch; echo "status $?"; kill $again"""
    done = subprocess.run([*unshare("--pid", "--mount", "--mount-proc"), "timeout", "60", "sh", "-c", script, jdk.tool("java"),
                           str(classes), hprof, words, "50ms" if words == "stat" else ""],
                          cwd=str(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
    assert done.stdout == "status 0\n", done.stdout + done.stderr


@pytest.mark.jdks(17)
def test_another_user_is_told_why_not(hprof, spinning, jdk):
    java = spinning(jdk)
    nobody = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
    _, said = ask(hprof, "top", "-b", java.pid, status=1, before=nobody)
    assert said.startswith("hprof: %d: not permitted; run as the user of the process, or as root, and see" % java.pid) and said.count("\n") == 1


def test_what_is_no_jvm_is_said(hprof):
    with subprocess.Popen(["sleep", "600"]) as sleeper:
        _, said = ask(hprof, "top", "-b", sleeper.pid, status=1)
        sleeper.kill()
    assert said == "hprof: %d: not a JVM: it has no libjvm.so\n" % sleeper.pid
    assert "wanted is cpu, mem, name or id" in ask(hprof, "top", "-o", "size", status=2)[1]
    assert "--delay 'often'" in ask(hprof, "top", "-d", "often", status=2)[1]
    assert "one JVM at a time" in ask(hprof, "top", "-b", "all", status=2)[1]


def tmux(socket, *words):
    return subprocess.run(["tmux", "-L", socket, *words], stdout=subprocess.PIPE, check=True, text=True, timeout=TIMEOUT_S).stdout


@pytest.fixture
def screen(tmp_path):
    """screen(command): a terminal of 80 columns and 24 rows with a shell that runs the command: type(keys), shows(text)."""
    if not shutil.which("tmux"):
        pytest.skip("no tmux here")
    socket = "hprof-%d" % os.getpid()

    class Screen:
        @staticmethod
        def lines():
            return tmux(socket, "capture-pane", "-p").splitlines()

        @staticmethod
        def type(*keys):
            tmux(socket, "send-keys", *keys)

        @staticmethod
        def resize(columns, rows):
            tmux(socket, "resize-window", "-x", str(columns), "-y", str(rows))

        def shows(self, condition):
            """Waits until the screen is as it should be: its lines then."""
            seen = []

            def is_such():
                seen[:] = self.lines()
                return condition(seen)
            wait_until(is_such, "such screen", said=lambda: "\n".join(seen))
            return seen

    tmux(socket, "-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "env", "-C", str(tmp_path), "PS1=shell> ", "sh")
    try:
        yield Screen()
    finally:
        tmux(socket, "kill-server")


@pytest.mark.jdks(17)
def test_the_view_and_its_keys(hprof, spinning, screen, jdk):
    java = spinning(jdk)
    screen.shows(lambda lines: "shell>" in lines[0])
    screen.type("%s top -d 500ms %d" % (hprof, java.pid), "Enter")
    lines = screen.shows(lambda lines: any("CpuHot.hot" in line for line in lines))
    assert " %d Spin, JDK 17" % java.pid in lines[0] and lines[-1].startswith("by cpu  q end")
    assert len(lines) == 24 and lines[6].split()[:2] == ["TID", "%CPU"] and " main " in lines[7]

    screen.type("N")
    screen.shows(lambda lines: lines[-1].startswith("by id") and int(lines[7].split()[0]) < int(lines[8].split()[0]))
    screen.type("Down")
    screen.shows(lambda lines: int(lines[7].split()[0]) > java.pid)
    screen.type("/")
    screen.type("-l", "finali")
    screen.shows(lambda lines: lines[-1] == "show only what has: finali_")
    screen.type("Enter")
    screen.shows(lambda lines: "Finalizer" in lines[7] and lines[8] == "" and lines[-1].startswith("[finali]"))
    screen.type("p")
    lines = screen.shows(lambda lines: lines[-1].startswith("PAUSED"))
    screen.type("h")
    screen.shows(lambda lines: lines[0] == "hprof top: keys")
    screen.type("h")
    screen.shows(lambda now: now[-1].startswith("PAUSED") and now[:5] == lines[:5])
    screen.resize(60, 12)
    screen.shows(lambda lines: len(lines) == 12 and lines[-1].startswith("PAUSED") and max(map(len, lines)) <= 60)
    screen.resize(60, 7)    # the page is longer
    screen.shows(lambda lines: len(lines) == 7 and lines[-1].startswith("PAUSED") and "Spin" in lines[0])
    screen.type("q")
    lines = screen.shows(lambda lines: lines[-1] == "" and "CpuHot" not in " ".join(lines))
    screen.type("stty -a", "Enter")
    screen.shows(lambda lines: any(" echo " in line for line in lines))


@pytest.mark.jdks(17)
def test_the_view_gives_the_terminal_back(hprof, spinning, screen, jdk):
    java = spinning(jdk)
    command = "%s top -d 500ms %d" % (hprof, java.pid)

    def begin():
        screen.type(command, "Enter")
        screen.shows(lambda lines: lines[-1].startswith("by cpu"))

    begin()
    screen.type("C-c")
    screen.shows(lambda lines: not lines[-1].startswith("by cpu") and any("shell>" in line for line in lines))
    begin()
    screen.type("C-z")
    screen.shows(lambda lines: any("Stopped" in line for line in lines))
    screen.type("fg", "Enter")
    screen.shows(lambda lines: lines[-1].startswith("by cpu"))
    java.signal(signal.SIGKILL)
    screen.shows(lambda lines: "hprof: %d: the JVM has ended" % java.pid in lines)
    screen.type("stty -a", "Enter")
    screen.shows(lambda lines: any(" echo " in line for line in lines))
