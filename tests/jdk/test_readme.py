"""The commands of README.md and docs/commands.md, as they are typed, in their order and in one folder, on a program that works.

Blocks that begin with ```shell, and the second column of README's table of commands. What tools/guides runs has test_guides.py.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import signal
import subprocess

import left
import pytest
from conftest import ROOT, TIMEOUT_S, Java, clean_environment, compile_programs
from selection import one_jdk

# What waits for somebody, or takes what is not here.
NOT_TYPED = {"mvn": "no build of Maven's is here", "view app.txt": "it opens a browser", "--debug-on": "it waits for a debugger", "listen": "it waits for an agent", "watch": "its configuration is the machine's own; test_watch.py",
             "verify": "it takes 20 s, and has tests of its own", "core.PID": "test_stack.py makes cores", "libother": "it is another agent", "--by user": "test_guides.py, by contexts.md", "--on throw": "app.jar throws none; test_triggers.py"}
# Files that a page names without making them, and what they are here.
MADE = {"old.txt": "app.txt", "new.txt": "app.txt", "x.jfr": "made.jfr", "a.jfr": "made.jfr", "b.jfr": "made.jfr"}


def lines_typed(page):
    """Each command of the page's blocks and of its table of commands, without its comment."""
    text, found = (ROOT / page).read_text(), []
    for block in re.findall(r"(?ms)^```shell\n(.*?)^```$", text):
        found += [line.partition("  #")[0].strip() for line in block.splitlines()]
    found += re.findall(r"(?m)^\| [^|`]+ \| `(hprof [^`]+)` \|", text)
    return [line for line in found if line]


def typed(line, pid):
    """The line with short times and the number of a process."""
    line = re.sub(r"-d \d+s", "-d 1s", re.sub(r"\bPID\b", str(pid), line))
    return line.replace("%d 1s" % pid, "%d 1s 1" % pid)


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return compile_programs(tmp_path_factory, "programs_front")


@pytest.fixture
def folder(jdk, hprof, programs, tmp_path):
    """A folder with app.jar and what it has recorded, app.txt, app.jfr and made.jfr, which no line writes; hprof and java are in the PATH of `env`."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/hprof").symlink_to(hprof)
    env = clean_environment({"PATH": os.pathsep.join([str(tmp_path / "bin"), str(pathlib.Path(jdk.tool("java")).parent), os.environ["PATH"]])})
    subprocess.run([jdk.tool("jar"), "cfe", str(tmp_path / "app.jar"), "Front", "-C", str(programs), "."], check=True, timeout=TIMEOUT_S)
    for events, name in (("cpu", "app.txt"), ("cpu,alloc", "app.jfr"), ("cpu,alloc", "made.jfr")):
        subprocess.run(["hprof", "run", "-q", "-e", events, "-o", name, "--", "java", "-jar", "app.jar", "500"], cwd=str(tmp_path), env=env, check=True,
                       timeout=TIMEOUT_S, stderr=subprocess.DEVNULL)
    return tmp_path, env


@pytest.fixture
def running(jdk, programs, tmp_path):
    """The same program, which runs until the test ends."""
    java = Java([jdk.tool("java"), "-cp", str(programs), "Front", "600000"], tmp_path / "running")
    java.wait_for_stdout("ready")
    yield java
    java.signal(signal.SIGKILL)
    java.process.wait()
    left.remove_of(java.pid)


@one_jdk
@pytest.mark.jdks(25)
@pytest.mark.parametrize("page, least", [("README.md", 12), ("docs/commands.md", 35)], ids=["readme", "commands"])
def test_each_command_of_the_page_works(page, least, folder, running):
    (where, env), done = folder, 0
    for line in lines_typed(page):
        if any(word in line for word in NOT_TYPED):
            continue
        for name, of in MADE.items():
            if name in line and not (where / name).exists():
                os.link(where / of, where / name)
        line = typed(line, running.pid)
        ran = subprocess.run(["sh", "-ec", line], cwd=str(where), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
        assert ran.returncode == 0, (line, ran.stdout[-1000:], ran.stderr[-1000:])
        assert ran.stdout or ran.stderr or "-o " in line, line
        for name in re.findall(r"(?:record|run|report|diff|merge|configure)\b[^;]* -o ([^\s-]\S*)", line):
            assert (where / name).stat().st_size > 0, line
        done += 1
    assert done > least
