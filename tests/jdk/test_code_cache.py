"""An agent that comes with the JVM must not make the compilers' code larger: async-profiler's did (its issue 914).

What events and capabilities an agent asks for, compiled code has to be fit for. Code is compiled when calls are counted full and
the program waits for it, so two runs of one program have nearly the same code.
SPDX-License-Identifier: Apache-2.0
"""
import re

import pytest

ROUNDS = 20000
VM = ("-Xbatch", "-XX:ReservedCodeCacheSize=64m")
# Five runs without an agent differ by a thousandth. Samples of CPU time and of wall-clock time add 5 to 8 in a hundred on JDK 8 and 17, as
# they set DebugNonSafepoints.
MOST = 1.15


def code_of(ended):
    assert ended.rc == 0, ended.stderr
    return int(re.search(r"^code (\d+)", ended.stdout, re.M).group(1))


@pytest.mark.parametrize("options", ["cpu=samples,file=x.txt", "event=wall,file=x.jfr", "event=alloc,file=x.jfr", "event=lock,file=x.jfr"])
def test_compiled_code_is_as_large_with_us_as_without(run_java, jdk, options):
    without = code_of(run_java(jdk, None, "CodeSize", ROUNDS, vm=VM))
    ours = code_of(run_java(jdk, options, "CodeSize", ROUNDS, vm=VM))
    if options.startswith("event=alloc") and jdk.number == 8:
        return    # injected code is the program's own
    assert ours <= MOST * without, (ours, without)
