"""file=x.collapsed, x.folded or x.html: pictures that the agent writes itself, when the recording ends; and those of `hprof run`.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import signal
import subprocess

from attaching import attach  # noqa: F401
from conftest import TIMEOUT_S, clean_environment
import pytest
from test_page import drive  # noqa: F401 pylint: disable=unused-import


def stacks(path):
    """{stack: value}; stacks that differ in lines alone are one."""
    found = collections.Counter()
    for line in path.read_text().splitlines():
        stack, value = line.rsplit(" ", 1)
        found[stack] += int(value)
    assert found
    return found


@pytest.mark.jdks(8, 25)
def test_collapsed_stacks_have_every_sample_once(jdk, start_java):
    """Also where the tables were dumped in between."""
    java = start_java(jdk, "cpu=samples,interval=1ms,depth=64,file=x.collapsed", "CpuHot", 5000)
    java.wait_for_cpu(0.4)
    java.signal(signal.SIGQUIT)
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    found = stacks(ended.cwd / "x.collapsed")
    samples, percent = re.findall(r" (\d+) samples of 1 ms, ([\d.]+)% with their stack", ended.stderr)[-1]
    assert sum(found.values()) == round(int(samples) * float(percent) / 100) > 100
    assert not [stack for stack in found if re.search(r"_\[[01ij]\]", stack)]    # a method is one frame, however it ran
    assert len(found) == len((ended.cwd / "x.collapsed").read_text().splitlines())
    assert max(found, key=found.get).split(";")[0].startswith("CpuHot.main")


HIDDEN = re.compile(r"\$\$Lambda|LambdaForm\$(D?MH|VH)\b|reflect/(Native|Delegating|Generated|Direct)\w*Accessor(Impl)?\d*\.|lang/Hprof_")


def methods(path):
    return {frame for stack in stacks(path) for frame in re.sub(r"_\[.\]", "", stack).split(";")}


@pytest.mark.jdks(8, 25)
def test_frames_of_the_vm_are_hidden_as_in_reports(jdk, run_java, hprof):
    """Hidden calls its method by a lambda, by reflection and by a method handle; a tracker of the agent counts allocations on JDK 8."""
    ended = run_java(jdk, "cpu=samples,heap=sites,interval=1ms,depth=64,thread=n,file=x.folded", "Hidden")
    assert ended.rc == 0, ended.stderr
    calls = methods(ended.cwd / "x.folded")
    assert {"Hidden.main", "Hidden.byLambda", "Hidden.work"} <= calls and not set(filter(HIDDEN.search, calls))
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=64,file=x.txt", "Hidden")
    subprocess.run([hprof, "report", "--hidden", "x.txt", "-o", "all.folded"], cwd=str(ended.cwd), check=True, timeout=TIMEOUT_S)
    assert any(filter(HIDDEN.search, methods(ended.cwd / "all.folded")))


@pytest.mark.jdks(17)
@pytest.mark.parametrize("what, args, stack", [
    ("cpu=times", ["contend", 2], r"MonWork\.enter"),
    ("event=lock", ["contend", 2], r"MonWork\.enter;MonWork\$Gate \(Java\)$"),
    ("monitor=y", ["contend", 2], r"MonWork\.enter;MonWork\$Gate \(Java\)$"),
    ("heap=sites", ["contend", 2], r";MonWork\$Gate$"),
    ("heap=histo", ["contend", 2], r"^\[no stack\];MonWork\$Gate$")])
def test_other_measurements_are_drawn_too(jdk, run_java, what, args, stack):
    ended = run_java(jdk, what + ",depth=16,file=x.folded", "MonWork", *args)
    assert ended.rc == 0 and ended.files == ["x.folded"], ended.stderr
    assert any(re.search(stack, found) for found in stacks(ended.cwd / "x.folded"))


@pytest.mark.jdks(17)
def test_a_page_opens_in_a_browser_and_has_the_hot_method(jdk, run_java, drive):  # noqa: F811 pylint: disable=redefined-outer-name
    ended = run_java(jdk, "cpu=samples,interval=1ms,depth=64,file=x.html", "CpuHot", 700)
    assert ended.rc == 0 and ended.files == ["x.html"], ended.stderr
    found = drive("x.html", """
      await page.selectOption('#view', 'table'); found.table = await page.locator('tbody tr').allTextContents();
    """, command=None, folder=ended.cwd)
    assert any("CpuHot.hot" in row for row in found["table"])


LEFT_OUT = "[left out: no memory for more stacks]"


@pytest.mark.jdks(17)
def test_stacks_for_which_there_is_no_memory_are_one_frame_and_it_is_said(jdk, run_java, drive):  # noqa: F811 pylint: disable=redefined-outer-name
    """The model is full, too, and has no room for the names of frames."""
    ended = run_java(jdk, "event=alloc,alloc=1k,mem=1m,depth=64,file=x.html", "FullModel")
    left, whole = map(int, re.search(r'the picture in x\.html has (\d+) of (\d+) bytes as one stack, "%s": raise mem=\n' % re.escape(LEFT_OUT), ended.stderr).groups())
    assert ended.rc == 0 and 0 < left < whole
    found = drive("x.html", """
      await page.selectOption('#view', 'table'); found.table = await page.locator('tbody tr').allTextContents();
    """, command=None, folder=ended.cwd)
    assert any(LEFT_OUT in row for row in found["table"]) and any("FullModel.left" in row for row in found["table"])


@pytest.mark.jdks(17)
def test_a_recording_by_command_is_drawn_when_it_stops(jdk, start_java, attach):  # noqa: F811 pylint: disable=redefined-outer-name
    java = start_java(jdk, None, "CpuHot", 20000)
    java.wait_for_cpu(0.5)
    assert "return code: 0" in attach(jdk, java, "start,cpu=samples,interval=1ms,file=x.html,name=one")
    java.wait_for_cpu(0.4)
    assert "return code: 0" in attach(jdk, java, "stop,one")
    text = (java.cwd / "x.html").read_text()
    assert text.startswith("<!doctype html>") and text.rstrip().endswith("</html>") and "CpuHot" in text


@pytest.mark.jdks(17)
def test_a_heap_dump_is_no_picture(jdk, run_java):
    ended = run_java(jdk, "heap=dump,file=x.html", "Hello")
    assert ended.rc != 0 and "heap=dump is not supported with format=html" in ended.stderr and ended.files == []


@pytest.mark.jdks(17)
def test_each_jvm_of_a_command_has_a_picture_and_all_together_another_one(jdk, hprof, classes, tmp_path):
    java = "%s -cp %s CpuHot 300" % (jdk.tool("java"), classes)
    subprocess.run([hprof, "run", "-q", "-i", "1ms", "-o", "x.html", "--", "sh", "-c", java + "; " + java], cwd=str(tmp_path), check=True,
                   env=clean_environment(), timeout=TIMEOUT_S, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    names = sorted(path.name for path in tmp_path.iterdir())
    pid = re.fullmatch(r"x\.(\d+)\.html", names[0])[1]
    assert names == ["x.%s.html" % pid, "x.%s.jfr" % pid, "x.all.html", "x.html", "x.jfr"]
    assert all('"heat":{' in (tmp_path / name).read_text() for name in names if name.endswith(".html"))
    texts = ["x.jfr", "x.%s.jfr" % pid]
    subprocess.run([hprof, "report", *texts, "-o", "all.folded"], cwd=str(tmp_path), check=True, timeout=TIMEOUT_S)
    assert {stack.split(";")[0] for stack in stacks(tmp_path / "all.folded")} == set(texts)


@pytest.mark.jdks(17)
@pytest.mark.parametrize("event, option, said", [
    ("alloc", "alloc=1g", "; of what is allocated one object in 1073741824 bytes is sampled: a smaller alloc= samples more"),
    ("cpu", "interval=10s", "; CPU time is sampled each 10000 ms: a shorter interval= samples more"),
    ("wall", "wall=10s", "; threads are looked at each 10000 ms: a shorter wall= looks more often"),
])
def test_a_picture_of_nothing_is_not_written_and_it_is_said_why(jdk, hprof, classes, tmp_path, event, option, said):
    """Exit status 1, as the manual has it for a profile that is not written; the recording stays."""
    ran = subprocess.run([hprof, "run", "-e", event, "-O", option, "-o", "x.html", "--", jdk.tool("java"), "-cp", str(classes), "Hello"], cwd=str(tmp_path),
                         check=False, env=clean_environment(), timeout=TIMEOUT_S, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert ran.returncode == 1 and [path.name for path in tmp_path.iterdir()] == ["x.jfr"], ran.stderr
    assert "x.html' is not written: the file has no sample, and nothing else that is drawn%s (hprof run, record: behind -O)\n" % said in ran.stderr
