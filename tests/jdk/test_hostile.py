"""What others may have made for us: links out of their root, folders under names of ours, files that cost more than they have.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import mmap
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess

import pytest

from asking import ask, nobodys_java
from conftest import old_and_new, one_jdk, wait_until
from robust import classes  # noqa: F401


@contextlib.contextmanager
def pretender(root, libjvm):
    """A process below `root` that maps a file libjvm.so as code; its number."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.chroot(root)
            os.chdir("/")
            signal.signal(signal.SIGQUIT, lambda number, frame: None)
            with open(libjvm, "rb") as file:
                _ = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
            os.write(writer, b"1")
            signal.pause()
        finally:
            os._exit(1)
    os.close(writer)
    try:
        assert os.read(reader, 1) == b"1"
        yield pid
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@one_jdk
@pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
def test_links_lead_nowhere_out_of_the_processs_root(jdk, hprof, tmp_path):
    """`release` tells the version; a link there is followed below the process's root, not in ours."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "jdk/lib/server").mkdir(parents=True)
    (root / "jdk/lib/server/libjvm.so").write_bytes(b"\x7fELF" + bytes(4096))
    outside.write_text('JAVA_VERSION="of the host"\n')
    release = root / "jdk/release"
    with pretender(root, "/jdk/lib/server/libjvm.so") as pid:
        for target in (outside, "../" * 20 + str(outside)[1:], "/proc/%d/root%s" % (os.getpid(), outside)):
            release.symlink_to(target)
            assert "of the host" not in ask(hprof, "ps")[0], target
            release.unlink()
        os.mkfifo(release)
        assert str(pid) in ask(hprof, "ps")[0]
        release.unlink()
        (root / "inside").write_text('JAVA_VERSION="of the process"\n')
        release.symlink_to("/inside")
        assert "of the process" in ask(hprof, "ps")[0]


@old_and_new
def test_a_folder_that_another_user_made_first_keeps_nobody_from_working(jdk, hprof, classes, tmp_path):
    """.hprof-UID in /tmp and its likes can be made by everybody: then another name does."""
    alone = shutil.copy(hprof, tmp_path / "hprof")  # which has no library beside it
    with nobodys_java(jdk, classes, tmp_path) as pid:
        root = pathlib.Path("/proc/%d/root" % pid)
        uid = os.stat("/proc/%d" % pid).st_uid
        taken = [root / folder / (".hprof-%d" % uid) for folder in ("tmp", "var/tmp", "dev/shm")]
        made = []
        try:
            for path in taken:
                with contextlib.suppress(FileExistsError, FileNotFoundError):
                    path.mkdir(mode=0o700)
                    made.append(path)
                    os.chown(path, 12345, 12345)
            assert taken[0] in made
            for name in ("one.txt", "two.txt"):
                ask(alone, "record", "-d", "100ms", "-o", tmp_path / name, pid)
                assert (tmp_path / name).exists()
            found = [path.name for path in (root / "tmp").glob(".hprof-%d-*" % uid)]
            assert len(found) == 1, found
        finally:
            for path in made:
                path.rmdir()


def leb(number):
    """As both JFR files and Protocol Buffers have small numbers."""
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, data):
    """A field of a message."""
    return leb(number << 3 | 2) + leb(len(data)) + data if isinstance(data, bytes) else leb(number << 3) + leb(data)


def judged(hprof, *args, memory=resource.RLIM_INFINITY):
    """What the command says, which refuses its file; it gets so many bytes of address space."""
    ended = subprocess.run([hprof, *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
    assert ended.returncode == 1, ended.stderr
    return ended.stderr


def test_a_location_of_a_profile_has_no_fields_without_end(hprof, tmp_path):
    """Each sample passes over them anew."""
    path = tmp_path / "x.pb"
    types = field(1, field(1, 1) + field(2, 2))
    samples = field(2, field(1, leb(1) * 1000) + field(2, leb(1)))
    place = field(4, field(1, 1) + (leb(9 << 3) + b"\1") * 100000 + field(4, field(1, 1) + field(2, 7)))
    names = field(5, field(1, 1) + field(2, 3)) + b"".join(field(6, text) for text in (b"", b"samples", b"count", b"f"))
    path.write_bytes(types + samples + place + names)
    assert "a location of more than" in judged(hprof, "report", path)


def test_the_types_of_a_recording_take_no_memory_without_end(hprof, tmp_path):
    """An element is three bytes in the file and some forty here."""
    count = 3000000
    texts = [b"root"]
    body = leb(0) + leb(0) + leb(count) + b"\0\0\0" * count
    content = leb(1) + leb(0) + leb(1) + leb(len(texts)) + b"".join(b"\3" + leb(len(text)) + text for text in texts) + body
    size = 5 + 1 + len(content)
    record = bytes(size >> 7 * i & 127 | (128 if i < 4 else 0) for i in range(5)) + b"\0" + content
    header = b"FLR\0" + struct.pack(">HHQQQqqqqBBBB", 2, 1, 68 + len(record), 0, 68, 10**18, 1, 1, 10**9, 0, 0, 0, 2)
    path = tmp_path / "x.jfr"
    path.write_bytes(header + record)
    assert "the metadata of the chunk are damaged" in judged(hprof, "jfr", "summary", path, memory=100 << 20)


@old_and_new
def test_a_recording_that_is_longer_than_it_is_large_is_not_copied(jdk, hprof, classes, tmp_path):
    """Who owns the JVM may make its file as long as he wants: that costs him nothing, and us a disk."""
    with nobodys_java(jdk, classes, tmp_path) as pid:
        child = subprocess.Popen([hprof, "record", "-d", "2s", "-o", str(tmp_path / "x.jfr"), str(pid)], stderr=subprocess.PIPE, text=True)
        def recordings():
            return [path for path in pathlib.Path("/proc/%d/fd" % pid).iterdir() if re.fullmatch(r"/tmp/#\d+ \(deleted\)", os.readlink(path))]
        wait_until(recordings, "recording", lambda: child.poll() is not None)
        with open(recordings()[0], "r+b") as file:
            file.truncate(1 << 40)
        try:
            said = child.communicate(timeout=60)[1]
        finally:
            child.kill()
        assert child.returncode == 1 and not (tmp_path / "x.jfr").exists(), said
