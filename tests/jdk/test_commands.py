"""Commands to an agent that is loaded already, and their answers.

SPDX-License-Identifier: Apache-2.0
"""
import re
import stat

from attaching import command, finish, running  # noqa: F401
from robust import Profile, classes  # noqa: F401
from conftest import one_jdk

CPU = "cpu=samples,interval=1ms,depth=32,thread=y,cutoff=0"


def answer(java, name):
    """The one line of an answer."""
    text = (java.cwd / name).read_text()
    assert text.endswith("\n") and text.count("\n") == 1 and len(text) <= 4096
    return text[:-1]


@one_jdk
def test_commands_are_answered(start_java, command, jdk):
    java = running(start_java, jdk)
    assert command(jdk, java, "status,answer=idle", "start,%s,file=out.txt,name=first,answer=start" % CPU, "pause=300",
                   "status,answer=status", "list,answer=list", "dump,first,answer=dump", "pause=100", "stop,file=out.txt,answer=stopped",
                   "list,answer=none") == [0] * 7
    file, said = (java.cwd / "out.txt").resolve(), r"id=1 name=first since=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ seconds=[\d.]+ engines=cpu"
    assert answer(java, "idle") == "hprof/1 ok status version=0.1.0 state=idle"
    assert re.fullmatch("hprof/1 ok start %s file=%s" % (said, file), answer(java, "start"))
    status = re.fullmatch(r"hprof/1 ok status version=0.1.0 state=running\tCPU samples since (\S+), into %s: %s samples=(\d+) lost=(\d+) file=%s" %
                          (file, said, file), answer(java, "status"))
    assert int(status[2]) > 0 and " since=%s " % status[1] in status[0]
    assert re.fullmatch("hprof/1 ok list recordings=1 %s file=%s" % (said, file), answer(java, "list"))
    assert re.fullmatch("hprof/1 ok dump %s file=%s" % (said, file), answer(java, "dump"))
    assert re.fullmatch("hprof/1 ok stop %s file=%s" % (said, file), answer(java, "stopped"))
    assert answer(java, "none") == "hprof/1 ok list recordings=0"
    assert stat.S_IMODE((java.cwd / "stopped").stat().st_mode) == 0o600
    assert len(Profile(finish(java).text("out.txt")).check().tables) == 2


@one_jdk
def test_what_cannot_be_done_is_answered_too(start_java, command, jdk):
    java = running(start_java, jdk)
    lines = ["stop,answer=a0", "dump,answer=a1", "start,cpu=never,answer=a2", "start,%s,file=/nowhere/out,answer=a3" % CPU,
             "start,%s,file=out.txt,answer=a4" % CPU, "pause=300", "start,%s,format=b,lineno=n,file=other.txt,answer=a5" % CPU, "dump,other,answer=a6",
             "stop,file=other.txt,answer=a7", "status,protocol=9,answer=a8", "status,sideways=1,answer=a9", "stop,answer=a10"]
    codes = command(jdk, java, *lines)
    answers = [answer(java, "a%d" % i) for i in range(len(codes))]
    assert [a.split(" ")[0] for a in answers] == ["hprof/1"] * len(codes)
    assert [" ".join(a.split(" ")[1:3]) for a in answers] == [
        "error state", "error state", "error syntax", "error failed", "ok start", "error state", "error not_found",
        "error not_found", "error syntax", "error syntax", "ok stop"]
    assert codes == [0 if " ok " in a else -1 for a in answers]
    assert "lineno= is fixed by recording 1" in answers[5]
    ended = finish(java)
    assert "other.txt" not in ended.files and Profile(ended.text("out.txt")).check().of_thread("main") > 0


@one_jdk
def test_answer_never_goes_through_a_link(start_java, command, jdk):
    java = running(start_java, jdk)
    kept = java.cwd / "kept"
    kept.write_text("as it was\n")
    (java.cwd / "answer").symlink_to("kept")
    (java.cwd / "folder").mkdir()
    assert command(jdk, java, "status,answer=answer", "start,%s,file=out.txt,answer=folder" % CPU) == [0, -1]
    assert kept.read_text() == "as it was\n"
    assert not (java.cwd / "answer").is_symlink() and answer(java, "answer").endswith("state=idle")
    assert "out.txt" not in finish(java).files, "a command that cannot be answered is not obeyed"


@one_jdk
def test_recording_ends_when_its_duration_is_over(start_java, command, jdk):
    java = running(start_java, jdk)
    command(jdk, java, "start,%s,duration=700ms,file=out.txt" % CPU, "pause=100", "stop", "start,%s,duration=1s,file=again.txt" % CPU)
    java.wait_for(lambda: "CPU SAMPLES END" in (java.cwd / "again.txt").read_text(), "the end of the recording")
    command(jdk, java, "pause=200", "status,answer=status")
    assert answer(java, "status").endswith("state=idle")
    ended = finish(java)
    for name in ("out.txt", "again.txt"):
        assert len(Profile(ended.text(name)).check().tables) == 1


@one_jdk
def test_duration_of_an_option_string(start_java, jdk):
    java = start_java(jdk, CPU + ",duration=500ms,file=out.txt", "Robust", "wait")
    java.wait_for(lambda: (java.cwd / "out.txt").exists() and "CPU SAMPLES END" in (java.cwd / "out.txt").read_text(),
                  "the end of the recording")
    assert len(Profile(finish(java).text("out.txt")).check().tables) == 1
