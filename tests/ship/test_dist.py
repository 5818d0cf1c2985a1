"""make dist: what is in the archives, and that two builds of one commit in different folders are alike, bit by bit.

SPDX-License-Identifier: Apache-2.0
"""
import hashlib
import json
import os
import platform
import re
import subprocess
import sys
import tarfile

import pytest

from conftest import ROOT, said

def archive(tree):
    return next(path for path in (tree / "out").glob("hprof-*.tar.gz") if "-debug" not in path.name)


@pytest.mark.slow
def test_two_builds_in_different_folders_are_alike(trees):
    names = sorted(path.name for path in (trees[0] / "out").iterdir())
    assert names == sorted(path.name for path in (trees[1] / "out").iterdir())
    for name in names:
        one, other = [(tree / "out" / name).read_bytes() for tree in trees]
        assert one == other, name


@pytest.fixture(scope="session")
def unpacked(trees, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive(trees[0])) as tar:
        tar.extractall(folder)
    return next(folder.iterdir())


@pytest.mark.slow
def test_the_archive_has_its_version_and_platform_and_all_that_is_installed(trees, unpacked):
    version = said(trees[0] / "tools/version", "--full").strip()
    assert unpacked.name == "hprof-%s-linux-%s" % (version, platform.machine())
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if not path.is_dir()}
    assert {"bin/hprof", "bin/hprof-static", "lib/libhprof.so", "lib/libasgst.so", "lib/libasgst.so.1", "lib/libjvmpi.so", "lib/libasgct.so", "include/jvmpi.h",
            "include/hprof/asgst.h", "lib/pkgconfig/asgst.pc", "share/java/hprof.jar", "share/man/man1/hprof.1", "share/man/man7/hprof-agent.7",
            "share/fish/vendor_completions.d/hprof.fish", "LICENSE", "README.md", "SHA256SUMS", "hprof.spdx.json"} <= names
    said("sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS", cwd=unpacked)
    said("sha256sum", "-c", "--strict", "--quiet", "SHA256SUMS", cwd=trees[0] / "out")


@pytest.mark.slow
def test_the_programs_say_the_commit_and_name_no_folder(trees, unpacked):
    commit = said("git", "-C", trees[0], "rev-parse", "HEAD").strip()
    assert " (commit %s, build id " % commit[:12] in said(unpacked / "bin/hprof", "--version")
    assert (unpacked / "lib/libhprof.so").stat().st_size <= 1500000
    for path in unpacked.rglob("*"):
        if path.is_file():
            assert str(trees[0].parent).encode() not in path.read_bytes(), path


@pytest.mark.slow
def test_the_symbols_lie_apart_by_build_id(trees, unpacked):
    with tarfile.open(next((trees[0] / "out").glob("hprof-*-debug.tar.gz"))) as tar:
        names = [entry.name.split("/", 1)[1] for entry in tar if entry.isfile()]
    programs = [unpacked / "bin/hprof", unpacked / "bin/hprof-static", *[path for path in (unpacked / "lib").glob("*.so*") if not path.is_symlink()]]
    for path in programs:
        assert ".debug_info" not in said("readelf", "-SW", path)
        build_id = re.search(r"Build ID: (\w+)", said("readelf", "-nW", path)).group(1)
        assert "lib/debug/.build-id/%s/%s.debug" % (build_id[:2], build_id[2:]) in names
    assert len(names) == len(programs)


@pytest.mark.slow
def test_the_bill_of_materials_names_all_files_and_what_is_linked_in(unpacked):
    bill = json.loads((unpacked / "hprof.spdx.json").read_text())
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
    sums = {row["fileName"][2:]: {each["algorithm"]: each["checksumValue"] for each in row["checksums"]} for row in bill["files"]}
    real = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file() and not path.is_symlink()}
    assert set(sums) == real - {"SHA256SUMS", "hprof.spdx.json"}
    for name, row in sums.items():
        assert row["SHA256"] == hashlib.sha256((unpacked / name).read_bytes()).hexdigest()
    ids = {row["SPDXID"] for row in bill["packages"] + bill["files"]} | {"SPDXRef-DOCUMENT"}
    assert all(row["spdxElementId"] in ids and row["relatedSpdxElement"] in ids for row in bill["relationships"])
    linked = {(row["spdxElementId"], row["relatedSpdxElement"]) for row in bill["relationships"] if row["relationshipType"] == "STATIC_LINK"}
    assert ("SPDXRef-File-bin-hprof-static", "SPDXRef-Package-zlib") in linked and ("SPDXRef-File-bin-hprof-static", "SPDXRef-Package-glibc") in linked
    assert {row["name"] for row in bill["packages"]} >= {"hprof", "zlib", "SQLite", "glibc"}


@pytest.mark.slow
def test_spdx_tools_take_the_bill_of_materials(unpacked):
    sys.path.append(str(ROOT / "tests/jdk"))
    import foreign
    said(os.path.join(os.path.dirname(foreign.pypi("spdx-tools", "0.8.5")), "pyspdxtools"), "-i", unpacked / "hprof.spdx.json")


@pytest.mark.slow
def test_the_hook_for_signatures_saw_every_file(trees):
    out = trees[0] / "out"
    files = [path.name for path in out.iterdir() if path.suffix != ".sig"]
    assert len(files) == 3 and all((out / (name + ".sig")).exists() for name in files)


def make_tree(folder):
    """A tree with what says its version."""
    (folder / "tools").mkdir(parents=True)
    for name in ("VERSION", ".gitattributes", "tools/version"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    (folder / "tools/version").chmod(0o755)
    return folder


def git(folder, *words):
    env = {**os.environ, "GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000", "GIT_CONFIG_GLOBAL": "/dev/null"}
    return said("git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", *words, env=env)


def version(folder, *words):
    return said(folder / "tools/version", *words, env={name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}).strip()


def test_the_version_is_that_of_the_tag_or_of_the_file(tmp_path):
    tree = make_tree(tmp_path / "tree")
    first = (ROOT / "VERSION").read_text().split()[0]
    assert [version(tree), version(tree, "--full"), version(tree, "--commit"), version(tree, "--date")] == [first, first, "unknown", "315532800"]
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "one")
    commit = git(tree, "rev-parse", "HEAD").strip()
    assert [version(tree), version(tree, "--full")] == [first, "%s+1.g%s" % (first, commit[:12])]
    git(tree, "tag", "v3.1.4")
    assert [version(tree), version(tree, "--full"), version(tree, "--commit"), version(tree, "--date")] == ["3.1.4", "3.1.4", commit[:12], "1700000000"]
    (tree / "tools/version").write_text((tree / "tools/version").read_text() + "\n")
    assert version(tree, "--commit") == commit[:12] + "+"
    git(tree, "commit", "-q", "-a", "-m", "two")
    later = git(tree, "rev-parse", "HEAD").strip()
    assert [version(tree), version(tree, "--full")] == ["3.1.4", "3.1.4+1.g%s" % later[:12]]


def test_an_archive_of_git_knows_its_commit(tmp_path):
    tree = make_tree(tmp_path / "tree")
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "one")
    (tmp_path / "out").mkdir()
    (tmp_path / "a.tar").write_bytes(subprocess.run(["git", "-C", tree, "archive", "HEAD"], stdout=subprocess.PIPE, check=True).stdout)
    with tarfile.open(tmp_path / "a.tar") as tar:
        tar.extractall(tmp_path / "out")
    assert version(tmp_path / "out", "--commit") == git(tree, "rev-parse", "HEAD").strip()[:12]
    assert version(tmp_path / "out", "--date") == "1700000000"
    assert said(tmp_path / "out/tools/version", "--date", env={**os.environ, "SOURCE_DATE_EPOCH": "77"}).strip() == "77"
