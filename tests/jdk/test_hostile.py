"""What a process that root looks at may have made for that: links out of its own root, folders under names of ours.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import mmap
import os
import pathlib
import shutil
import signal

import pytest

from asking import ask, nobodys_java
from conftest import old_and_new, one_jdk
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
