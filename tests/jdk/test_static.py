"""hprof-static: the command in an empty folder that is its whole world, as in a container FROM scratch.

SPDX-License-Identifier: Apache-2.0
"""
import os
import shutil
import subprocess

import pytest

from asking import unshare
from conftest import TIMEOUT_S, built, clean_environment, old_and_new, one_jdk


@pytest.fixture
def empty(tmp_path):
    """The folder, with the command, and where /proc will be."""
    if os.geteuid() != 0:
        pytest.skip("only root may chroot")
    folder = tmp_path / "empty"
    (folder / "proc").mkdir(parents=True)
    shutil.copy(str(built("src/cli/hprof-static")), str(folder / "hprof"))
    return folder


def inside(folder, *words):
    return subprocess.run([*unshare("--mount"), "sh", "-c", 'mount --rbind /proc "$0"/proc && exec chroot "$0" /hprof "$@"', str(folder), *words],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=clean_environment(), timeout=TIMEOUT_S)


@old_and_new
def test_it_finds_asks_and_records_a_jvm(jdk, start_java, empty):
    java = start_java(jdk, None, "CpuHot", "60000")
    java.wait_for_cpu(0.5)
    pid = str(java.pid)
    assert pid in inside(empty, "ps").stdout
    assert "JDK %d" % jdk.number in inside(empty, "jcmd", pid, "VM.version").stdout
    assert "CpuHot.main" in inside(empty, "threads", pid).stdout
    recorded = inside(empty, "record", "-d", "1s", "-o", "/x.txt", pid)
    assert recorded.returncode == 0, recorded.stderr
    assert "CpuHot." in (empty / "x.txt").read_text()


@one_jdk
def test_it_reads_files(jdk, run_java, empty):
    ended = run_java(jdk, "cpu=samples,file=x.jfr", "CpuHot", "500")
    shutil.copy(str(ended.cwd / "x.jfr"), str(empty))
    assert "CpuHot." in inside(empty, "report", "/x.jfr").stdout
    assert inside(empty, "report", "/x.jfr", "-o", "/x.pb.gz").returncode == 0 and (empty / "x.pb.gz").stat().st_size > 0
