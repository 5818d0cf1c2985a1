"""The commands of README.md's "Use it", as they are typed, in their order and in one folder, on a program that works.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import subprocess

import pytest
from conftest import ROOT, TIMEOUT_S, clean_environment
from selection import one_jdk

# What waits for somebody, or takes what is not here. `hprof ps` and what comes behind a semicolon is typed as well.
NOT_TYPED = {"mvn": "no build of Maven's is here", "view app.txt": "it opens a browser", "--debug-on": "it waits for a debugger", "listen": "it waits for an agent",
             "top PID": "it goes on", "verify": "it takes 20 s, and has tests of its own"}
# Files that the block names without making them, and what they are here.
MADE = {"old.txt": "app.txt", "new.txt": "app.txt", "app.jfr": "x.jfr", "a.jfr": "x.jfr", "b.jfr": "x.jfr"}


def lines_typed():
    """Each command of the block, without its comment."""
    text = (ROOT / "README.md").read_text()
    block = re.search(r"## Use it\n\n```\n(.*?)```", text, re.S)[1]
    lines = [line.partition("  #")[0].strip() for line in block.splitlines()]
    return [line for line in lines if line]


@one_jdk
@pytest.mark.jdks(25)
def test_each_command_of_the_readme_works(jdk, hprof, start_java, classes, tmp_path):
    lines, done = lines_typed(), 0
    assert len(lines) > 20
    (tmp_path / "build").mkdir()
    (tmp_path / "build/hprof").symlink_to(hprof)
    subprocess.run([jdk.tool("jar"), "cfe", str(tmp_path / "app.jar"), "CpuHot", "-C", str(classes), "."], check=True, timeout=TIMEOUT_S)
    java = start_java(jdk, None, "CpuHot", 600000)
    made = ["run -o app.txt -- java -jar app.jar", "run -e alloc -o x.jfr -- java -cp app.jar Alloc"]
    env = clean_environment({"PATH": os.path.dirname(jdk.tool("java")) + os.pathsep + os.environ["PATH"]})
    for line in ["build/hprof " + line for line in made] + lines:
        if any(word in line for word in NOT_TYPED):
            continue
        for name, of in MADE.items():
            if name in line and not (tmp_path / name).exists():
                os.link(tmp_path / of, tmp_path / name)
        line = re.sub(r"\bPID\b", str(java.pid), line).replace("-d 30s", "-d 1s").replace("%d 1s" % java.pid, "%d 1s 1" % java.pid)
        ran = subprocess.run(["sh", "-ec", line], cwd=str(tmp_path), env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True, timeout=TIMEOUT_S, check=False)
        assert ran.returncode == 0, (line, ran.stdout[-1000:], ran.stderr[-1000:])
        assert ran.stdout or ran.stderr or "-o " in line, line
        for name in re.findall(r"-o (\S+)", line):
            assert (tmp_path / name).stat().st_size > 0, line
        done += 1
    assert done > 20
