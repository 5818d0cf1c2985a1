"""What the agent says of heap dumps that fail, and of those that work.

SPDX-License-Identifier: Apache-2.0
"""
import re

from conftest import one_jdk
import pytest

LINE = re.compile(r"HPROF: |HPROF ERROR: |Dumping |\Z")


@one_jdk
@pytest.mark.jdks(8, 25)
@pytest.mark.parametrize("options, folder, says", [("heap=dump", "/nowhere", False), ("heap=dump,fork=n,cpu=samples", "/nowhere", False),
                                                   ("heap=dump", "/tmp", True), ("heap=dump,fork=n", "/tmp", True)])
def test_a_dump_that_fails_does_not_say_done(jdk, options, folder, says, run_java):
    # What is no file, and has no segments, is first written to a folder for such things.
    ended = run_java(jdk, options + ",format=b,file=/dev/null", "Hello", vm=["-Xmx64m"], env={"TMPDIR": folder})
    assert ended.rc == 0
    assert ("there is no heap dump in" in ended.stderr) != says
    assert (" done." in ended.stderr) == says, ended.stderr
    assert all(LINE.match(line) for line in ended.stderr.splitlines()), ended.stderr
