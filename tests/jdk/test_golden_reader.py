"""A foreign reader of java.hprof.txt reads our profile: hprof2flamegraph, written for the original agent's files.

It comes from PyPI at a pinned version and hash, into a venv in the cache; where that cannot be had, the tests say so
and are skipped.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys

import hprof_text
from conftest import one_jdk
import pytest

NAME = "hprof2flamegraph"
VERSION = "0.0.6"
SHA256 = "efa8ad38910c27f67ecb40e4be9470f8834e2cadc82f61a2ec0cd81ef2ee111b"
INSTALL_S = 120
ROUNDS = 300


def cache():
    base = os.environ.get("HPROF_CACHE") or os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "hprof")
    return pathlib.Path(base).expanduser() / "readers"


def install(venv):
    """Makes the venv; raises CalledProcessError if the registry, or venv itself, is out of reach."""
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, capture_output=True, timeout=INSTALL_S)
    pins = venv / "pins.txt"
    pins.write_text("%s==%s --hash=sha256:%s\n" % (NAME, VERSION, SHA256))
    subprocess.run([str(venv / "bin/pip"), "--disable-pip-version-check", "install", "--quiet", "--no-deps",
                    "--require-hashes", "-r", str(pins)], check=True, capture_output=True, timeout=INSTALL_S)


@pytest.fixture(scope="module")
def stackcollapse():
    """The reader's program."""
    venv = cache() / ("%s-%s" % (NAME, VERSION))
    program = venv / "bin/stackcollapse-hprof"
    cache().mkdir(parents=True, exist_ok=True)
    with open(cache() / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            try:
                install(venv)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                shutil.rmtree(venv, ignore_errors=True)
                pytest.skip("PyPI's %s %s cannot be installed here: %s %s"
                            % (NAME, VERSION, error, (error.stderr or b"").decode(errors="replace")[-300:]))
    return program


def folded(stackcollapse, path):
    """{stack, outermost first: count}"""
    said = subprocess.run([str(stackcollapse), str(path)], check=True, stdout=subprocess.PIPE, text=True,
                          timeout=INSTALL_S, env=dict(os.environ, PYTHONIOENCODING="utf-8")).stdout
    counts = collections.Counter()
    for line in said.splitlines():
        stack, count = line.rsplit(" ", 1)
        counts[stack] += int(count)
    return counts


def as_folded(text):
    """What the reader has to find in a file, from our own reading of it."""
    counts = collections.Counter()
    for row in text.tables[0].rows:
        trace = text.traces[row.trace]
        stack = ["%s.%s%s" % (frame.klass, frame.method, "" if frame.line is None else ":%d" % frame.line)
                 for frame in trace.frames] + ([] if trace.thread is None else ["Thread %d" % trace.thread])
        counts[";".join(reversed(stack))] += row.count
    return counts


@one_jdk
@pytest.mark.parametrize("options", ["cpu=samples,depth=64", "cpu=samples,depth=64,thread=y", "cpu=samples,lineno=n"])
def test_it_finds_every_stack_and_count(jdk, run_java, stackcollapse, options):
    ended = run_java(jdk, options, "CpuWork", ROUNDS)
    text = hprof_text.Text(ended.text())
    counts = folded(stackcollapse, ended.cwd / "java.hprof.txt")
    assert sum(counts.values()) == text.tables[0].total > 0
    assert counts == as_folded(text)
    assert any("CpuWork.main" in stack and "CpuHot.hot" in stack for stack in counts)
