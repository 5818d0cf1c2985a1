"""hprof.jar: contexts that a program gives its threads, in samples and events; recordings from code.

The programs' methods are named after the scopes that are open when they run, and run in no others: so each sample is judged by
its own stack. SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess
import zipfile

import conftest
import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import

NEWEST = conftest.JDKS[max(conftest.JDKS)]


def jar():
    try:
        return conftest.built("src/jar/hprof.jar")
    except pytest.fail.Exception:
        return pytest.skip("no hprof.jar: the JDK that gave jni.h has no javac that compiles for JDK 8")


def compile_with_jar(tmp_path_factory, name, since):
    oldest = conftest.JDKS[min(number for number in conftest.JDKS if number >= since)]
    folder = tmp_path_factory.mktemp(name)
    sources = sorted((conftest.HERE / name).glob("*.java"))
    subprocess.run([oldest.tool("javac"), "-nowarn", "-cp", str(jar()), "-d", str(folder), *map(str, sources)], check=True)
    return "%s:%s" % (folder, jar())


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    return compile_with_jar(tmp_path_factory, "programs_context", 8)


@pytest.fixture(scope="session")
def virtual_classes(tmp_path_factory):
    return compile_with_jar(tmp_path_factory, "programs_context_virtual", 21)


# While a virtual thread gets or leaves a carrier it has no scopes.
SWITCHES = ("java.lang.VirtualThread", "jdk.internal.vm.Continuation")


def judge(events, program, names):
    """How many events there are of each of the program's methods, whose contexts are those in `names`: {method: {key: value}}."""
    found = dict.fromkeys(names, 0)
    for event in events:
        frames = (event["stackTrace"] or {"frames": []})["frames"]
        is_switching = False
        for frame in frames:
            klass, name = frame["method"]["type"]["name"].replace("/", "."), frame["method"]["name"]
            is_switching |= klass in SWITCHES
            if klass == program and name in names:
                context = {key: (event.get("context") or {}).get(key) for key in names[name]}
                assert context == names[name] or (is_switching and not any(context.values())), (name, context, event)
                found[name] += context == names[name]
                break
    return found


CONTEXTS = {"alice": {"user": "alice", "action": None}, "bob": {"user": "bob", "action": None}, "none": {"user": None, "action": None},
            "aliceLoad": {"user": "alice", "action": "load"}, "noneLoad": {"user": None, "action": "load"}}
VIRTUAL = {"alice": {"user": "alice"}, "bob": {"user": "bob"}, "none": {"user": None}}
WAITS = {name + "Waits": context for name, context in VIRTUAL.items()}


@pytest.mark.everyday(8, 25)
def test_each_sample_has_the_scopes_that_are_open(jdk, run_java, hprof):
    """Nested, handed on, left by exceptions, deeper than are kept, and with more values than a key remembers."""
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=64,file=x.jfr", "Contexts", 2, 30, 10000)
    assert ended.rc == 0 and ended.stdout == "loaded true\ndone true\n", ended.stdout + ended.stderr
    found = judge(jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ExecutionSample", depth=64), "Contexts", CONTEXTS)
    assert min(found.values()) >= 5, found
    said = subprocess.run([hprof, "report", "--by", "user", str(ended.cwd / "x.jfr")], stdout=subprocess.PIPE, text=True, check=True).stdout
    rows = {row[2]: int(row[1]) for row in (line.split() for line in said.splitlines()) if len(row) == 3 and row[0].endswith("%")}
    assert rows["alice"] >= found["alice"] + found["aliceLoad"] and rows["bob"] >= found["bob"] and rows["(none)"] > 0, (rows, found)
    view = subprocess.run([hprof, "jfr", "view", "--group-by", "context.user", "hot-methods", str(ended.cwd / "x.jfr")],
                          stdout=subprocess.PIPE, text=True, check=False)
    assert re.search(r"^ +%d +\S+ +alice$" % rows["alice"], view.stdout, re.M), view.stdout
    flames = ended.cwd / "x.collapsed"
    subprocess.run([hprof, "report", "--by", "user", "-o", str(flames), str(ended.cwd / "x.jfr")], check=True)
    roots = {line.partition(";")[0] for line in flames.read_text().splitlines()}
    assert roots == {"user=alice", "user=bob", "no user"}


@pytest.mark.jdks(since=21)
@pytest.mark.everyday(21, 25)
def test_scopes_follow_virtual_threads(jdk, start_java, virtual_classes):
    """Many more than there are carriers, which change in each of their waits."""
    java = start_java(jdk, "cpu=samples,interval=1ms,event=wall,wall=5ms,depth=64,file=x.jfr", "-cp", virtual_classes, "VirtualContexts", 30)
    ended = java.end()
    assert ended.rc == 0 and ended.stdout == "done\n", ended.stderr
    by_type = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["jdk.ExecutionSample", "profiler.WallClockSample"], depth=64)
    found = judge(by_type["jdk.ExecutionSample"], "VirtualContexts", VIRTUAL)
    assert min(found.values()) >= 20, found
    found = judge(by_type["profiler.WallClockSample"], "VirtualContexts", {**VIRTUAL, **WAITS})
    assert min(found[name] for name in WAITS) >= 3, found


@pytest.mark.jdks(21, 25)
def test_an_event_names_its_virtual_thread(jdk, start_java, virtual_classes):
    """Six thousand have a row of their own, by name and number; those that come later share one. A field has them, too."""
    java = start_java(jdk, "cpu=samples,file=x.jfr", "-cp", virtual_classes, "VirtualEvents", 6200)
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    events = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "app.Done")
    assert len(events) == 6201
    own = [event for event in events if event["eventThread"]["javaName"] != "(other virtual threads)"]
    assert len(own) == 6144 + 1 and own == events[:len(own)]
    for event in own:
        thread, other = event["eventThread"], event["other"]
        assert (thread["javaName"] or "", thread["javaThreadId"]) == (event["name"], event["id"]) and other["javaThreadId"] == event["id"]


@pytest.mark.jdks(8, 17, 25)
def test_without_the_agent_nothing_happens(jdk, run_java):
    ended = run_java(jdk, None, "Contexts", 1, 1, 10)
    assert ended.rc == 0 and ended.stdout == "loaded false\ndone false\n" and not ended.stderr and not ended.files, ended


@pytest.mark.jdks(8, 17, 25)
def test_an_agent_that_comes_later_is_heard_of(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    """The classes were there before it, and have found nobody."""
    java = start_java(jdk, None, "Contexts", 100000, 5, 0)
    java.wait_for_stdout("loaded false")
    assert "return code: 0" in attach(jdk, java, "start,cpu=samples,interval=1ms,depth=64,file=x.jfr,name=one")
    java.wait_for_cpu(1.5)
    assert "return code: 0" in attach(jdk, java, "stop,one")
    java.process.kill()
    events = jfr_file.events(NEWEST, java.cwd / "x.jfr", "jdk.ExecutionSample", depth=64)
    later = events[len(events) // 4:]  # scopes that were open at that moment are not known
    found = judge(later, "Contexts", CONTEXTS)
    assert min(found.values()) >= 5, found


@pytest.mark.jdks(8, 17, 25)
def test_recordings_from_code(jdk, run_java, tmp_path_factory):
    """In a JVM that was started without the agent, and may not attach to itself."""
    folder = tmp_path_factory.mktemp("folder")
    folder.chmod(0o700)
    ended = run_java(jdk, None, "FromCode", vm=["-Dhprof.folder=%s" % (folder / "own")])
    assert ended.rc == 0, ended.stdout + ended.stderr
    said = ended.stdout.splitlines()
    assert said[0] == "status state=idle"
    assert said[1].startswith("start id=1 ") and said[1].endswith("/x.jfr")
    assert " state=running\t" in said[2] and said[3].startswith("dump id=1 ") and said[4].startswith("stop id=1 ")
    assert said[5] == "refused: hprof: state nothing is measured in this JVM: there is nothing to stop"
    assert said[6].startswith("refused: hprof: syntax ") and "nonsense" in said[6]
    found = judge(jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ExecutionSample", depth=64), "FromCode", {"alice": {"user": "alice"}})
    assert found["alice"] >= 20
    assert re.fullmatch(r"0 hprof \S+ \(commit \S+, build id \S+\)", said[7]) and said[8] == "1 true"
    files = sorted((folder / "own").iterdir())
    assert sorted(path.name.partition("-")[2] for path in files) == ["hprof", "libhprof.so"]
    assert all(path.stat().st_mode & 0o777 == 0o700 for path in [folder / "own", *files])


def run_jar(*options):
    ran = subprocess.run([*NEWEST.short_tool("java"), *options, "-jar", str(jar()), "version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True, check=False, timeout=60)
    return ran.returncode, ran.stdout, ran.stderr


@conftest.one_jdk
def test_a_folder_that_others_could_fill_is_refused(tmp_path):
    """By one line, and nothing is put there."""
    real, link, loose, file = (tmp_path / name for name in ("real", "link", "loose", "file"))
    real.mkdir(mode=0o700)
    link.symlink_to(real)
    loose.mkdir()
    loose.chmod(0o777)
    file.write_text("mine")
    for folder, why in ((link, "is a symbolic link"), (loose, "is open to others (rwxrwxrwx; chmod 700 helps)"), (file, "is no folder")):
        rc, out, err = run_jar("-Dhprof.folder=%s" % folder)
        assert rc == 1 and not out and "%s %s: name one with" % (folder, why) in err and err.count("\n") == 1, err
    assert not list(real.iterdir()) and not list(loose.iterdir()) and file.read_text() == "mine"
    rc, out, err = run_jar("-Dhprof.folder=%s" % real)
    assert rc == 0 and out.startswith("hprof ") and not err
    (command,) = real.iterdir()
    command.write_bytes(b"#!/bin/sh\necho another\n")  # what is there is compared, not believed
    assert run_jar("-Dhprof.folder=%s" % real) == (rc, out, err)
    assert [path.name for path in real.iterdir()] == [command.name]


@conftest.one_jdk
def test_a_folder_whose_place_others_could_fill_is_refused(tmp_path):
    """Who may write a folder above could put an own one there after ours was looked at; what nobody else may change is used by its real path."""
    loose, sticky, closed, link = (tmp_path / name for name in ("loose", "sticky", "closed", "link"))
    for folder, mode in ((loose, 0o777), (sticky, 0o1777), (closed, 0o755)):
        folder.mkdir()
        folder.chmod(mode)
    (loose / "below").mkdir(mode=0o755)
    link.symlink_to(closed)
    for folder in (loose / "jar", loose / "below" / "new" / "jar"):
        rc, out, err = run_jar("-Dhprof.folder=%s" % folder)
        assert rc == 1 and not out and "%s lies in %s, which others may write (rwxrwxrwx; chmod go-w helps)" % (folder, loose) in err, err
    assert [path.name for path in loose.rglob("*")] == ["below"]
    for folder in (sticky / "jar", closed / "new" / "jar", link / "linked"):
        rc, out, err = run_jar("-Dhprof.folder=%s" % folder)
        assert rc == 0 and out.startswith("hprof ") and not err, err
    assert (closed / "new").stat().st_mode & 0o777 == 0o700 and len(list((closed / "linked").iterdir())) == 1
    if os.getuid() == 0:  # as `sudo -E` has it
        others = tmp_path / "others"
        others.mkdir(mode=0o755)
        os.chown(str(others), 65534, 65534)
        rc, out, err = run_jar("-Dhprof.folder=%s" % (others / "hprof" / "jar"))
        assert rc == 1 and not out and "lies in %s, which belongs to " % others in err, err
        assert not list(others.iterdir())


@pytest.mark.jdks(8, 17, 25)
def test_an_agent_among_the_resources_of_a_program_is_loaded(jdk, run_java, tmp_path_factory):
    """By a class loader of its own, which alone knows the resource."""
    agent = conftest.compile_library(tmp_path_factory, "attached")
    carrier = tmp_path_factory.mktemp("carrier") / "carrier.jar"
    with zipfile.ZipFile(str(carrier), "w") as file:
        file.write(str(agent), "native/libattached.so")
    folder = tmp_path_factory.mktemp("resources")
    ended = run_java(jdk, None, "FromResources", carrier, vm=["-Dhprof.folder=%s" % (folder / "own")])
    assert ended.rc == 0, ended.stdout + ended.stderr
    said = ended.stdout.splitlines()
    assert said[0] == "supported true loaded false"
    assert said[1].startswith(str(folder / "own")) and said[1].endswith("-libattached.so")
    assert said[2:6] == ["attached with a=1,b", "loaded", "attached with ", "loaded"], said
    assert said[6] == "refused: hprof: there is no resource native/libnone.so"
    assert said[7].startswith("refused: hprof: ") and "7" in said[7], said
    assert said[8] == "elsewhere: supported false", said
