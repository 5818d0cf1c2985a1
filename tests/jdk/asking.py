"""Asking live JVMs with the command: what several test files share.

Use: `from asking import ask, told, waiting` and `from robust import classes`.
SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import os
import pathlib
import shutil
import signal
import stat
import subprocess
import tempfile

import left
import pytest

from conftest import TIMEOUT_S, clean_environment, wait_until


def ask(hprof, *args, status=0, before=()):
    """Output and messages of the command, which ends with that status."""
    argv = [*before, hprof] + [str(arg) for arg in args]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired as slow:
            facts = what_it_does(process.pid)
            process.kill()
            raise AssertionError("%s has run for %s s; it %s" % (argv, TIMEOUT_S, facts)) from slow
    assert process.returncode == status, out + err
    return out, err


def what_it_does(pid):
    """Whether a process computes or waits, and where in the kernel: for a failure that may not come again."""
    def read(name):
        try:
            return pathlib.Path("/proc/%d/%s" % (pid, name)).read_text().strip()
        except OSError as error:
            return error.strerror
    return "\n".join("%s: %s" % (name, read(name)) for name in ("stat", "wchan", "syscall", "stack", "io", "status"))


def told(jdk, tool, *args):
    """Output of a tool of the JDK."""
    return subprocess.run([*jdk.asking_tool(tool)] + [str(arg) for arg in args], stdout=subprocess.PIPE, check=True, timeout=TIMEOUT_S,
                          text=True, env=clean_environment()).stdout


@pytest.fixture
def waiting(start_java):
    """waiting(jdk, *options): a JVM that does nothing, and has got so far."""
    def start(jdk, *vm, **keywords):
        java = start_java(jdk, None, "Robust", "wait", vm=("-Xmx64m",) + vm, **keywords)
        java.wait_for_stdout("running")
        return java
    return start


@pytest.fixture
def open_command(hprof):
    """The command where every user may run it."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        pathlib.Path(folder).chmod(0o755)
        yield shutil.copy(hprof, folder)


def unshare(*flags):
    """The start of a command in namespaces of its own; skips where the kernel refuses that."""
    argv = ["unshare", *flags, "--fork", "--kill-child"]
    if not shutil.which("unshare") or subprocess.run([*argv, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        pytest.skip("unshare %s is not allowed here" % " ".join(flags))
    return argv


# What a process does before it becomes a JVM of another user, which the end of its parent would not end any more.
AS_NOBODY = "setpriv --reuid=65534 --regid=65534 --clear-groups --pdeathsig KILL"


@contextlib.contextmanager
def inner_java(argv, out):
    """A command that starts a JVM in a process of its own: the JVM's number for us. Both are killed at the end."""
    with open(out, "wb") as said:
        outer = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=clean_environment(), cwd=str(out.parent))
    inner = []
    try:
        children = pathlib.Path("/proc/%d/task/%d/children" % (outer.pid, outer.pid))
        wait_until(children.read_text, "process", lambda: outer.poll() is not None, out.read_text)
        inner.append(int(children.read_text()))
        wait_until(lambda: "running" in out.read_text(), "JVM", lambda: outer.poll() is not None, out.read_text)
        yield inner[0]
    finally:
        for pid in inner:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        outer.kill()
        outer.wait()
        for pid in inner:
            left.remove_of(pid)


@contextlib.contextmanager
def nobodys_java(jdk, classes, tmp_path):
    """A waiting JVM of user nobody, in a /tmp and among processes of its own; its number for us."""
    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("takes root, and setpriv")
    script = 'mount --bind "$1" /mnt && mount --bind "$2" /media && mount -t tmpfs -o mode=1777 none /tmp && '
    closed = next((folder for folder in reversed(pathlib.Path(jdk.home).parents) if not folder.stat().st_mode & stat.S_IXOTH), None)
    if closed:
        script += 'mount -t tmpfs -o mode=755 none "$3" && mkdir -p -m 755 "$1" && mount --bind /mnt "$1" && '
    script += 'cd /media && exec %s "$1/bin/java" -Xmx64m -cp /media Robust wait' % AS_NOBODY
    shown = tmp_path / "classes"
    shutil.copytree(classes, shown)
    shown.chmod(0o755)
    with inner_java([*unshare("--mount", "--pid", "--mount-proc"), "sh", "-c", "umask 022; " + script, "sh", jdk.home, str(shown),
                     str(closed)], tmp_path / "said") as pid:
        yield pid
