"""What tests use and need not make each time: compiled programs, and jars of others. Both lie in the user's cache folder.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import pytest

import emulated

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = pathlib.Path(os.environ.get("HPROF_CACHE") or pathlib.Path(
    os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache", "hprof"))
MADE = CACHE / "test-made"
READERS = CACHE / "readers"
JARS = pathlib.Path(__file__).resolve().parent / "readers/jars"
TIMEOUT_S = 120
UNUSED_S = 30 * 24 * 3600


@contextlib.contextmanager
def locked_memory(how):
    """What perf may lock is counted for the user, not for the process: fcntl.LOCK_EX for who needs to know how much there is, LOCK_SH
    for all others that take some."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "locked-memory", "a", encoding="ascii") as lock:
        fcntl.flock(lock, how)
        yield


def forget_the_unused():
    for made in MADE.iterdir():
        if made.stat().st_mtime < time.time() - UNUSED_S:
            shutil.rmtree(made, ignore_errors=True)


def make(kept, command, env):
    MADE.mkdir(parents=True, exist_ok=True)
    fresh = pathlib.Path(tempfile.mkdtemp(prefix=".new", dir=str(MADE)))
    fresh.chmod(0o755)
    try:
        subprocess.run(command(str(fresh)), check=True, env=env, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
        fresh.rename(kept)
    except OSError:
        if not kept.exists():
            raise
        # Another process was faster.
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    forget_the_unused()


def made_once(sources, command, folder, env=None):
    """Copies into `folder` what command(into) makes of the sources, and returns it. The command runs once for their content,
    in whatever clone or process of tests they lie."""
    line = " ".join(command("")).replace(str(ROOT), "") + (emulated.CPU or "")
    for source in sources:
        line = line.replace(str(source.parent), "")
    digest = hashlib.sha256(line.encode())
    for source in sources:
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    kept = MADE / digest.hexdigest()[:24]
    if not kept.exists():
        make(kept, command, env)
    os.utime(kept)
    shutil.copytree(str(kept), str(folder), dirs_exist_ok=True)
    return folder


def jar_of(name):
    """The path of a jar of the list."""
    version, = (words[2] for words in (line.strip().split(":") for line in JARS.read_text().splitlines()) if words[1:2] == [name])
    jar = READERS / ("%s-%s.jar" % (name, version))
    if not jar.exists():
        pytest.skip("%s NOT TESTED: it is not here; tools/bootstrap test fetches it" % jar.name)
    return str(jar)
