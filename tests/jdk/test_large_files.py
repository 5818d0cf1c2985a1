"""Files larger than the memory that reading them may take. No JVM runs here; only `make test-all` does this.

SPDX-License-Identifier: Apache-2.0
"""
import os
import random
import subprocess

import pytest

GB = 1 << 30


@pytest.fixture(scope="module")
def large(request, tmp_path_factory):
    """A GB of collapsed stacks of 20,000 kinds, and the sum of their counts."""
    if request.config.getoption("--everyday"):
        pytest.skip("a GB of stacks is for make test-all")
    path = tmp_path_factory.mktemp("large") / "large.collapsed"
    chance = random.Random(11)
    stacks = [";".join("com/example/part%d/Class%d.method%d" % (chance.randrange(30), chance.randrange(500), chance.randrange(20))
                       for _ in range(chance.randrange(3, 30))) for _ in range(20000)]
    size = total = 0
    with open(str(path), "w", encoding="utf-8") as out:
        while size < GB:
            block = "".join("%s %d\n" % (stack, i % 50 + 1) for i, stack in enumerate(chance.sample(stacks, 5000)))
            out.write(block)
            size += len(block)
            total += sum(i % 50 + 1 for i in range(5000))
    return path, total


def peak_mb(argv, stdin=None):
    """What a command says, and its largest resident set in MB, all pages of the file with it."""
    with subprocess.Popen([str(word) for word in argv], stdin=stdin, stdout=subprocess.PIPE) as process:
        said = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = status
    assert status == 0, said
    return said, usage.ru_maxrss / 1024


@pytest.mark.parametrize("way", ["file", "pipe"])
def test_a_gigabyte_of_stacks_needs_little_memory(hprof, large, way):
    path, total = large
    if way == "file":
        said, mb = peak_mb([hprof, "report", "-n", 1, path])
    else:
        with subprocess.Popen(["cat", str(path)], stdout=subprocess.PIPE) as cat:
            said, mb = peak_mb([hprof, "report", "-n", 1, "/dev/stdin"], stdin=cat.stdout)
    assert "  %d samples\n" % total in said
    assert mb < 64 + 32 # the stacks that differ need some 30


def test_with_a_limit_the_smallest_stacks_become_one(hprof, large):
    path, total = large
    said, mb = peak_mb([hprof, "report", "-n", 1, "--memory", "16m", path])
    assert "  %d samples\n" % total in said and "of the smallest stacks made one" in said
    assert mb < 64
