"""make deb: the packages, what lintian says of them, and what they do on a bare machine.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil

import pytest

from conftest import BUILD_S, ROOT, said

PACKAGES = {"hprof", "hprof-dbgsym", "libasgst1", "libhprofjfr1", "libhprof-agent", "libhprof-dev", "libhprof-java"}
FRESH_S = 3000


@pytest.fixture(scope="session")
def debs(trees):
    """package -> its file."""
    if not shutil.which("dpkg-shlibdeps"):
        pytest.skip("no dpkg-dev here; make test-all installs it")
    tree = trees[0]
    said(tree / "tools/ship/deb", tree / "build-ship", tree / "deb", timeout=BUILD_S)
    return {path.name.split("_")[0]: path for path in (tree / "deb").glob("*.deb")}


def contents(path):
    return {line.split()[5].lstrip(".") for line in said("dpkg-deb", "-c", path).splitlines() if not line.startswith("d")}


@pytest.mark.slow
def test_there_is_a_package_for_each_purpose(debs):
    assert set(debs) == PACKAGES
    listed = {name: contents(path) for name, path in debs.items()}
    everywhere = [name for names in listed.values() for name in names]
    assert len(everywhere) == len(set(everywhere))
    assert "/usr/bin/hprof" in listed["hprof"] and "/usr/share/zsh/vendor-completions/_hprof" in listed["hprof"]
    lib = next(name for name in listed["libasgst1"] if name.endswith("/libasgst.so.1")).rpartition("/")[0]
    assert {lib + "/libhprof.so", lib + "/libjvmpi.so", lib + "/libasgct.so"} <= listed["libhprof-agent"]
    assert {lib + "/libasgst.so", "/usr/include/jvmpi.h", lib + "/pkgconfig/jvmpi.pc"} <= listed["libhprof-dev"]
    assert "/usr/share/java/hprof.jar" in listed["libhprof-java"]


@pytest.mark.slow
def test_what_a_package_depends_on_is_found(debs):
    def field(name, key):
        return said("dpkg-deb", "-f", debs[name], key).strip()
    assert "libc6 (>= " in field("hprof", "Depends") and "libasgst1 (>= " in field("libhprof-agent", "Depends")
    assert re.search(r"libasgst1 \(= \S+\), libhprofjfr1 \(= \S+\), libhprof-agent \(= \S+\)", field("libhprof-dev", "Depends"))


@pytest.mark.slow
def test_the_packages_are_the_same_bit_by_bit(debs, trees):
    tree = trees[1]
    said(tree / "tools/ship/deb", tree / "build-ship", tree / "deb", timeout=BUILD_S)
    for path in debs.values():
        assert (tree / "deb" / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.slow
def test_lintian_finds_nothing(debs):
    if not shutil.which("lintian"):
        pytest.skip("no lintian here; make test-all installs it")
    assert said("lintian", "--allow-root", "--fail-on", "error,warning", "--tag-display-limit", "0", *sorted(debs.values()), timeout=600) == ""


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_the_packages_work_on_a_bare_machine(suite, debs, tmp_path):
    if os.getuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("wants root and debootstrap, which make test-all installs")
    text = said(ROOT / "tools/fresh-packages", suite, tmp_path / "machine", pathlib.Path(next(iter(debs.values()))).parent, timeout=FRESH_S)
    assert len(re.findall(r"(?m)^ok ", text)) >= 10 and "not ok" not in text


@pytest.mark.slow
def test_the_unit_works_under_systemd(debs, tmp_path):
    """With bookworm's, the last that boots whatever the version of the kernel's cgroups is."""
    if os.getuid() != 0 or not shutil.which("debootstrap") or not shutil.which("systemd-nspawn"):
        pytest.skip("wants root, debootstrap and systemd-nspawn, which make test-all installs")
    text = said(ROOT / "tools/fresh-systemd", "bookworm", tmp_path / "machine", pathlib.Path(next(iter(debs.values()))).parent, timeout=FRESH_S)
    assert len(re.findall(r"(?m)^ok ", text)) >= 10 and "not ok" not in text
