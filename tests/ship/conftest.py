"""Fixtures of the tests of what is shipped: completion, installation, archives, packages.

`build` is the finished build folder under test (--build FOLDER, or build), `hprof` the command in it. A test that takes minutes is
@pytest.mark.slow, and runs only with --all.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TIMEOUT_S = 120
BUILD_S = 3000    # a release build, beside other work


def pytest_addoption(parser):
    parser.addoption("--build", default=str(ROOT / "build"), help="a finished build")
    parser.addoption("--all", action="store_true", help="also the tests that take minutes")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes minutes; runs with --all")


def pytest_collection_modifyitems(config, items):
    slow = [item for item in items if item.get_closest_marker("slow")]
    if not config.getoption("--all"):
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]


def said(*words, **how):
    """What a command prints; the test fails if the command does."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=how.pop("timeout", TIMEOUT_S), **how)
    assert done.returncode == 0, "%s: exit %d\n%s%s" % (" ".join(map(str, words)), done.returncode, done.stdout, done.stderr)
    return done.stdout


@pytest.fixture(scope="session")
def build(request):
    folder = pathlib.Path(request.config.getoption("--build")).resolve()
    if not (folder / "build.ninja").exists():
        pytest.fail("no build in %s: run make first" % folder)
    return folder


@pytest.fixture(scope="session")
def hprof(build):
    return build / "src/cli/hprof"


def copy_of_head(folder):
    if subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("this tree has no git: no copy of a commit can be made")
    said("git", "clone", "-q", ROOT, folder)
    return folder


@pytest.fixture(scope="session")
def trees(tmp_path_factory):
    """Two trees of one commit in folders whose names have different lengths, each with its archives."""
    top = tmp_path_factory.mktemp("dist")
    # A cache of compilers would give the second tree the objects of the first.
    environment = {**os.environ, "CCACHE_DISABLE": "1", "SIGN": "sign() { cksum <\"$1\" >\"$1.sig\"; }; sign"}
    one = copy_of_head(top / "one")
    said("git", "clone", "-q", one, top / "another/folder")    # of the same commit, though HEAD here may move meanwhile
    made = [one, top / "another/folder"]
    for tree in made:
        said(tree / "tools/ship/dist", tree / "build-ship", tree / "out", env=environment, timeout=BUILD_S)
    return made
