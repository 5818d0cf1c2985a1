"""The commands that docs/guides shows: what they print has the shape that the pages say, and what a page says can be wrong.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import resource
import shutil
import subprocess

import pytest

from conftest import ROOT, clean_environment
from selection import one_jdk

PAGES = sorted(path.stem for path in (ROOT / "docs/guides").glob("*.md") if "```console" in path.read_text())
TIMEOUT_S = 400
# What a page needs beside the build and a JDK.
NEEDS = {
    "crashed": lambda: resource.getrlimit(resource.RLIMIT_CORE)[1] == resource.RLIM_INFINITY and pathlib.Path("/proc/sys/kernel/core_pattern").read_text()[:1] not in "|/" or "no core comes into the folder: /proc/sys/kernel/core_pattern, ulimit -c",
    "old-scripts": lambda: bool(shutil.which("cc")) or "no C compiler",
    "tool-authors": lambda: bool(shutil.which("cc")) or "no C compiler",
}


def check(page, jdk):
    """tools/guides --check of the page: its status and what it says."""
    env = clean_environment({"JAVA_HOME": jdk.home})
    ran = subprocess.run([str(ROOT / "tools/guides"), "--check", "--quick", str(page)], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, check=False)
    return ran.returncode, ran.stdout


@one_jdk
@pytest.mark.jdks(25)
@pytest.mark.parametrize("page", PAGES)
def test_a_guide_shows_what_its_commands_print(page, jdk):
    has = NEEDS.get(page, lambda: True)()
    if has is not True:
        pytest.skip(has)
    status, said = check(ROOT / "docs/guides" / (page + ".md"), jdk)
    assert status == 0, said


@one_jdk
@pytest.mark.jdks(25)
@pytest.mark.parametrize("shown, said", [
    ("$ hprof version\nsomething else", "no line of the shape: something else"),
    ("$ hprof version --gone", "exit status 2, not 0"),
    ("$ hprof formats\nSlow.price\n", "no Slow.price"),
    ("$ exit 3", "did not end"),
], ids=["line", "status", "method", "end"])
def test_a_page_that_is_wrong_is_told(shown, said, jdk, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```console\n%s\n```\n" % shown)
    status, what = check(page, jdk)
    assert status == 1 and said in what, what
