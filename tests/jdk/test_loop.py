"""loop= and keep=: a recording that begins a new file now and then; and the places in names of files.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess

from asking import ask, waiting  # noqa: F401
from conftest import TIMEOUT_S, old_and_new, one_jdk
from robust import classes  # noqa: F401

CPU = "cpu=samples,interval=1ms,depth=32,verbose=n,"


def total(path):
    """Of collapsed stacks."""
    return sum(int(line.rsplit(" ", 1)[1]) for line in path.read_text().splitlines())


def is_whole(hprof, path):
    done = subprocess.run([hprof, "jfr", "summary", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                          timeout=TIMEOUT_S)
    return done.returncode == 0 and not done.stderr and "Chunks: 1" in done.stdout


@old_and_new
def test_old_files_go_and_what_is_not_ours_stays(jdk, start_java, hprof, tmp_path):
    """A file that had the name before, and one that has taken the name of ours since, are somebody else's."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "app-1-here.jfr").write_text("mine")
    java = start_java(jdk, CPU + "loop=1,keep=2,file=%s/app-%%n-%%{WHERE}.jfr" % folder, "Robust", "wait", vm=["-Xmx64m"], env={"WHERE": "here"})
    own = folder / ("app-1-here.%d.jfr" % java.pid)
    java.wait_for(own.exists, "the second file")
    java.wait_for((folder / "app-2-here.jfr").exists, "the third file")
    (folder / "app-2-here.jfr").rename(folder / "kept.jfr")
    (folder / "app-2-here.jfr").write_text("another's")
    java.wait_for((folder / "app-5-here.jfr").exists, "the sixth file")
    java.wait_for(lambda: not own.exists(), "the end of the second")
    (java.cwd / "stop").touch()
    ended = java.end()
    assert ended.rc == 0 and "ERROR" not in ended.stderr, ended.stderr
    left = {path.name for path in folder.iterdir()}
    last = max(int(number) for number in re.findall(r"app-(\d+)-", " ".join(left)))
    assert left == {"app-1-here.jfr", "app-2-here.jfr", "kept.jfr"} | {"app-%d-here.jfr" % n for n in range(last - 2, last + 1)}
    assert (folder / "app-1-here.jfr").read_text() == "mine" and (folder / "app-2-here.jfr").read_text() == "another's"
    assert all(is_whole(hprof, folder / ("app-%d-here.jfr" % n)) for n in range(last - 2, last + 1))


@old_and_new
def test_nothing_is_lost_between_two_files(jdk, waiting, hprof, tmp_path, monkeypatch):
    """Beside a recording of one file, in a folder with a percent sign; the loop keeps its number and its name."""
    java, folder = waiting(jdk), tmp_path / "100%t"
    folder.mkdir()
    monkeypatch.chdir(folder)
    ask(hprof, "start", "--loop", "1s", "--name", "round", "-i", "1ms", "-o", "r-%n.collapsed", java.pid)
    java.wait_for((folder / "r-1.collapsed").exists, "the second file")
    before = {path.name for path in folder.glob("r-*")}
    ask(hprof, "start", "-i", "1ms", "-o", "whole-%p.collapsed", java.pid)
    java.wait_for((folder / ("r-%d.collapsed" % (len(before) + 2))).exists, "two more")
    status = ask(hprof, "status", java.pid, "round")[0]
    assert "id=1 name=round" in status
    ask(hprof, "stop", java.pid, "2")
    assert "stop id=1 name=round" in ask(hprof, "stop", java.pid, "round")[0]
    parts = sum(total(path) for path in folder.glob("r-*"))
    assert parts >= total(folder / ("whole-%d.collapsed" % java.pid)) > 0


@one_jdk
def test_a_cycle_of_names(jdk, waiting, hprof, tmp_path):
    java = waiting(jdk)
    ask(hprof, "start", "--loop", "1s", "-i", "1ms", "-o", tmp_path / "c-%n{3}.jfr", java.pid)
    java.wait_for((tmp_path / "c-2.jfr").exists, "the third file")
    # Finished long ago, so only another file has another time; the inode may be that of the file that went.
    first = (tmp_path / "c-0.jfr").stat().st_mtime_ns
    java.wait_for(lambda: (tmp_path / "c-0.jfr").exists() and (tmp_path / "c-0.jfr").stat().st_mtime_ns != first, "the fourth file")
    ask(hprof, "stop", java.pid)
    assert sorted(path.name for path in tmp_path.glob("c-*")) == ["c-0.jfr", "c-1.jfr", "c-2.jfr"]
    assert all(is_whole(hprof, path) for path in tmp_path.glob("c-*"))


@one_jdk
def test_what_cannot_be(jdk, waiting, hprof, tmp_path, monkeypatch):
    java = waiting(jdk)
    monkeypatch.chdir(tmp_path)
    for told, options in (("--loop needs %t or %n in --output", ["--loop", "1h", "-o", "x.jfr"]),
                          ("%n{MAX} begins with 2", ["--loop", "1h", "-o", "x-%n{1}.jfr"]),
                          ("leave --duration or --loop out", ["--loop", "1h", "-d", "3h"]),
                          ("--keep is for the files of --loop, as in --loop 1h --keep 24", ["--keep", "3"]),
                          ("a time of 1s at least", ["--loop", "10ms"]),
                          ("--loop and triggers", ["--loop", "1h", "--on", "oom:dump"])):
        assert told in ask(hprof, "start", *options, java.pid, status=2)[1]
    assert "has no variable NOWHERE" in ask(hprof, "start", "-o", "%{NOWHERE}.jfr", java.pid, status=1)[1]    # the JVM alone knows
    assert "state=idle" in ask(hprof, "status", java.pid)[0]
    assert not list(tmp_path.glob("*.jfr"))
