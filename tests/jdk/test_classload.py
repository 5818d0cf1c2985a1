"""event=classload: classes that are loaded, with loader, bytes, time and stack, and classes that are gone.

The program loads known classes, and says how long their files are.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import hprof_text
import jfr_file
import pytest
from attaching import attach  # noqa: F401 pylint: disable=unused-import
from conftest import JDKS, old_and_new

TIMES = 5
HEAD = re.compile(r"EVENTS classload BEGIN \(loading_ns=(\d+) loaded=(\d+) bytes=(\d+) unloaded=(\d+)\) ")
ROW = re.compile(r" *\d+ +[\d.]+% +[\d.]+% (\d+) (\d+) (\d+) (\d+) (\d+) (\S+) (.+)")
Row = collections.namedtuple("Row", "ns loaded bytes unloaded trace klass loader")
NEWEST = JDKS[max(JDKS)]


def rows_of(text):
    """The rows of the last table, whose totals are those of its rows."""
    block = re.findall(r"^EVENTS classload BEGIN .*?^EVENTS classload END$", text, re.S | re.M)[-1]
    rows = [Row(*(int(row[i]) for i in range(1, 6)), row[6], row[7]) for row in map(ROW.fullmatch, block.splitlines()[2:-1])]
    totals = [int(number) for number in HEAD.match(block).groups()]
    assert [sum(row[i] for row in rows) for i in range(4)] == totals
    return rows


def of(rows, klass):
    return [row for row in rows if row.klass == klass]


def sizes(ended):
    return dict((name, int(size)) for name, size in re.findall(r"^(Loads\S*) (\d+)$", ended.stdout, re.M))


def app_loader(jdk):
    return "app (jdk.internal.loader.ClassLoaders$AppClassLoader)" if jdk.number >= 9 else "sun.misc.Launcher$AppClassLoader"


def test_classes_by_loader_and_trace(jdk, run_java):
    ended = run_java(jdk, "event=classload,cutoff=0,depth=64", "Loads", TIMES, "twice")
    assert ended.rc == 0, ended.stderr
    rows, file_of = rows_of(ended.text()), sizes(ended)
    assert len(file_of) == 4
    for name in ("Loads", "Loads$Base", "Loads$Inner"):
        (row,) = of(rows, name)
        assert (row.loaded, row.bytes, row.unloaded, row.loader) == (1, file_of[name], 0, app_loader(jdk)), row
        assert row.ns > 0
    gone = of(rows, "Loads$Gone")
    # Each loader has tried twice, and the VM has refused one; whether all are gone is the collector's business.
    assert sum(row.loaded for row in gone) == TIMES and {row.loader for row in gone} == {"Loads$Own"}
    assert sum(row.bytes for row in gone) == TIMES * file_of["Loads$Gone"]
    assert 0 < sum(row.unloaded for row in gone) <= TIMES and all(row.unloaded <= row.loaded for row in gone), gone
    traces = hprof_text.Text(ended.text()).traces
    stack = [(frame.klass, frame.method) for frame in traces[of(rows, "Loads$Base")[0].trace].frames]
    assert ("Loads", "inner") in stack and stack[-1] == ("Loads", "main"), stack


def test_a_class_counts_once_and_none_is_ours(jdk, run_java):
    """The VM also tells of a class that a second loader has found; and other engines define classes of ours, and change some."""
    ended = run_java(jdk, "event=classload+exception+lock,cutoff=0,file=x.jfr", "Loads", TIMES)
    assert ended.rc == 0, ended.stderr
    loaded = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ClassLoad", depth=2)
    names = collections.Counter(event["loadedClass"]["name"] for event in loaded)
    assert {name for name, count in names.items() if count > 1 and "Lambda" not in name and "0x" not in name} == {"Loads$Gone"}
    assert not [name for name in names if "Hprof" in name]
    assert "java/lang/Object" not in names and names["Loads$Inner"] == 1


@old_and_new
def test_a_recording_has_each_and_tools_read_it(jdk, hprof, run_java):
    ended = run_java(jdk, "event=classload,depth=64,file=x.jfr", "Loads", TIMES)
    assert ended.rc == 0, ended.stderr
    path, file_of = ended.cwd / "x.jfr", sizes(ended)
    loaded = jfr_file.events(NEWEST, path, "jdk.ClassLoad", depth=64)
    (inner,) = [event for event in loaded if event["loadedClass"]["name"] == "Loads$Inner"]
    assert inner["classFileSize"] == file_of["Loads$Inner"] and inner["classFileSize"] > 0
    name, klass = re.fullmatch(r"(?:(\w+) \()?([\w.$]+)\)?", app_loader(jdk)).groups()
    assert (inner["definingClassLoader"]["name"], inner["definingClassLoader"]["type"]["name"]) == (name, klass.replace(".", "/"))
    assert inner["eventThread"]["javaName"] == "main"
    assert "inner" in [frame["method"]["name"] for frame in inner["stackTrace"]["frames"]]
    gone = jfr_file.events(NEWEST, path, "jdk.ClassUnload", depth=64)
    assert {event["unloadedClass"]["name"] for event in gone} >= {"Loads$Gone"}
    assert all("goes" in [frame["method"]["name"] for frame in event["stackTrace"]["frames"]] for event in gone if
               event["unloadedClass"]["name"] == "Loads$Gone")
    report = subprocess.run([hprof, "report", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "classes loaded and unloaded" in report
    drawn = subprocess.run([hprof, "report", "-e", "classload", "--to", "collapsed", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert sum(int(line.rsplit(" ", 1)[1]) for line in drawn.splitlines()) == len(loaded)


@pytest.mark.jdks(17, "newest")
def test_a_recording_of_the_jdk_is_read(jdk, hprof, run_java):
    """Of two types that tell the same class, jdk.ClassDefine counts only alone: the first has no class that a program defines itself."""
    settings = "-XX:StartFlightRecording:settings=none,+jdk.ClassLoad#enabled=true,+jdk.ClassDefine#enabled=true,filename=x.jfr"
    ended = run_java(jdk, None, "Loads", TIMES, vm=[settings])
    assert ended.rc == 0, ended.stderr
    loads = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ClassLoad", depth=2)
    report = subprocess.run([hprof, "report", "--top", "10000", str(ended.cwd / "x.jfr")], stdout=subprocess.PIPE, text=True, check=True).stdout
    table = report[report.index("classes loaded and unloaded"):]
    rows = re.findall(r"^ *[\d.]+% +([\d.]+) +(\d+) +(\d+) +(\d+)  (\S+), (.+)$", table, re.M)
    assert {(row[4], row[5]) for row in rows} >= {("Loads$Inner", app_loader(jdk)), ("Loads", app_loader(jdk))}
    assert sum(int(row[1]) for row in rows) == len(loads)
    defined = jfr_file.events(NEWEST, ended.cwd / "x.jfr", "jdk.ClassDefine", depth=2)
    assert len([event for event in defined if event["definedClass"]["name"] == "Loads$Gone"]) == TIMES
    assert not [row for row in rows if row[4] == "Loads$Gone"]


@old_and_new
def test_a_recording_that_comes_later_has_what_comes_then(jdk, start_java, attach):  # noqa: F811
    """Classes that were there before are seen when they go; here none does."""
    java = start_java(jdk, None, "Loads", TIMES, "waits")
    java.wait_for_stdout("loaded")
    attach(jdk, java, "start,event=classload,cutoff=0,file=%s" % (java.cwd / "later.txt"))
    (java.cwd / "go").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    rows = rows_of(ended.text("later.txt"))
    assert [row.loaded for row in of(rows, "Loads$Broken")] == [1]
    assert not of(rows, "Loads$Inner") and not of(rows, "Loads")


@old_and_new
def test_a_second_recording_hears_of_classes_that_go(jdk, start_java, attach):  # noqa: F811
    """The VM's environment for the tags of classes is that of the first recording."""
    java = start_java(jdk, None, "Loads", TIMES, "waits")
    java.wait_for_stdout("loaded")
    for command in ("start,event=classload,file=first.txt", "stop", "start,event=classload,cutoff=0,file=second.txt"):
        attach(jdk, java, command)
    (java.cwd / "go").touch()
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    rows = rows_of(ended.text("second.txt"))
    assert sum(row.loaded for row in of(rows, "Loads$Gone")) == 1 == sum(row.unloaded for row in of(rows, "Loads$Gone"))
    assert not of(rows_of(ended.text("first.txt")), "Loads$Broken")


@pytest.mark.jdks(17)
def test_it_is_not_in_binary_files(jdk, run_java):
    ended = run_java(jdk, "event=classload,format=b", "Hello")
    assert ended.rc != 0 and "event=classload is not supported with format=b" in ended.stderr
