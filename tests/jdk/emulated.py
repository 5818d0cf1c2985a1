"""Tests with JVMs of another CPU under an emulator: `make CROSS=aarch64 test`, or HPROF_CROSS=aarch64 by hand. docs/aarch64.md.

An emulated JVM is a process of the emulator. What the kernel tells of it, its program, maps, registers and stack, is the emulator's,
and there are no perf events: whatever looks at a JVM from outside sees the wrong one. So a test runs there only if it has the mark
`emulated`, by itself or by `pytestmark` of its file, and not the mark `not_emulated`, whose argument says what the emulator lacks.
The JDKs are those of tools/test-aarch64, cc and c++ build for that CPU, and the command is a script that starts the emulator.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CPU = os.environ.get("HPROF_CROSS") or None

emulated = pytest.mark.emulated
not_emulated = pytest.mark.not_emulated
EMULATOR_S = 5    # so many times longer a wait may take


def ask():
    """What tools/test-aarch64 says: {word: rest of its line}, with the JDKs as lines of tools/test-jdks."""
    said = subprocess.run([str(ROOT / "tools/test-aarch64"), "--list"], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False).stdout.splitlines()
    found = dict(line.split("\t", 1) for line in said if not line.startswith("jdk\t"))
    found["jdks"] = [line.partition("\t")[2] for line in said if line.startswith("jdk\t")]
    return found


def write_script(path, words):
    """A program of this CPU that starts one of the other."""
    path.parent.mkdir(exist_ok=True)
    fresh = path.with_name("%s.%d" % (path.name, os.getpid()))
    fresh.write_text('#!/bin/sh\nexec %s "$@"\n' % " ".join('"%s"' % word for word in words))
    fresh.chmod(0o755)
    fresh.replace(path)


def program(path):
    """What to start for the program at `path` of a build: itself, or under emulation a script."""
    if not CPU:
        return path
    script = path.parents[2] / "emulated" / path.name
    write_script(script, [FOUND["emulator"], "-L", FOUND["root"], path])
    return script


def neighbours():
    """The lines of tools/test-jdks for this machine's own JDKs: their javac needs a tenth of the time, and JDK 8 knows sun.misc."""
    return subprocess.run([str(ROOT / "tools/test-jdks"), "--list"], stdout=subprocess.PIPE, text=True, stderr=subprocess.DEVNULL,
                          stdin=subprocess.DEVNULL, check=False).stdout.splitlines() if CPU else []


FOUND = {}
if CPU:
    FOUND = ask()
    if "emulator" not in FOUND:
        raise SystemExit("HPROF_CROSS=%s: there is no emulator; run tools/test-%s" % (CPU, CPU))
    os.environ["PATH"] = FOUND["path"] + os.pathsep + os.environ["PATH"]
    os.environ.setdefault("HPROF_BUILD", "build-%s" % CPU)


def ask_jdks(*options):
    """As tools/test-jdks answers."""
    return FOUND["jdks"] if "--list" in options else [line.split("\t")[0] for line in FOUND["jdks"]]


def runs_here(item):
    return not CPU or (item.get_closest_marker("emulated") is not None and item.get_closest_marker("not_emulated") is None)
