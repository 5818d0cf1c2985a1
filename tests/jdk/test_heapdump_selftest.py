"""selftest=y: our walk of the heap and JVM TI's, object by object, in the same child, on every JDK and collector.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re

import pytest
from test_heapdump import G1, PARALLEL, SERIAL, SHENANDOAH, has_collector

SAID = re.compile(r"HPROF: heap self-test: (\d+) objects are the same, (\d+) different, (\d+) only JVM TI's, (\d+) only ours, "
                  r"(\d+) fillers, (\d+) KB skipped")
Result = collections.namedtuple("Result", "same different theirs ours fillers skipped")
COLLECTORS = {"serial": [SERIAL], "parallel": [PARALLEL], "g1": [G1], "shen": list(SHENANDOAH)}
OBJECTS = 20000


def options_of(jdk, collector):
    vm = [*COLLECTORS[collector], "-Xmx300m"]
    if collector == "shen" and (jdk.number < 17 or not has_collector(jdk, vm)):
        pytest.skip("JDK %d has no such collector that can be read" % jdk.number)
    return vm


def result_of(ended):
    assert ended.rc == 0 and "HPROF ERROR" not in ended.stderr, ended.stderr
    return Result(*map(int, SAID.search(ended.stderr).groups()))


def check(result, collector):
    assert (result.different, result.theirs) == (0, 0)
    if collector != "shen":     # there JVM TI only shows what can be reached
        # JDK 8: an Object of the VM's own that JVM TI hides.
        assert result.ours <= 1 and result.skipped == 0


@pytest.mark.parametrize("collector", list(COLLECTORS))
def test_every_object_is_the_same(jdk, collector, run_java):
    vm = options_of(jdk, collector)
    result = result_of(run_java(jdk, "heap=dump,format=b,selftest=y", "HeapGarbage", OBJECTS, 2, 0,
                                vm=[*vm, "-Xmn150m"] if collector != "shen" else vm))
    assert result.same > 2 * OBJECTS if collector != "shen" else result.same > 1000
    check(result, collector)


@pytest.mark.parametrize("vm", [["-XX:-UseCompressedOops"], ["-XX:+UseCompactObjectHeaders"],
                                ["-XX:ObjectAlignmentInBytes=16"]], ids=["wide", "compact", "aligned"])
def test_in_other_layouts_too(jdk, vm, run_java):
    vm = ["-XX:+UnlockExperimentalVMOptions", *vm, G1, "-Xmx300m", "-Xmn150m"]
    if not has_collector(jdk, vm):
        pytest.skip("JDK %d has no %s" % (jdk.number, vm[1]))
    result = result_of(run_java(jdk, "heap=dump,format=b,selftest=y", "HeapGarbage", OBJECTS, 2, 0, vm=vm))
    assert result.same > 2 * OBJECTS
    check(result, "g1")


@pytest.mark.parametrize("collector", ["parallel", "g1", "shen"])
def test_where_classes_were_unloaded(jdk, collector, run_java):
    vm = [*options_of(jdk, collector), "-XX:MaxTenuringThreshold=0"]
    if collector == "g1":
        vm.append("-XX:+ExplicitGCInvokesConcurrent")
    result = result_of(run_java(jdk, "heap=dump,format=b,selftest=y,live=n", "HeapLoaders", 100, 2, 0, vm=vm))
    assert result.same > 4000
    if collector == "g1" and jdk.number < 21:
        # Objects of classes that are gone lie between the others. JVM TI hides them; we pass over them up to the next one
        # that is held by a class, since here nobody tells us the roots on stacks.
        assert result.different == 0 and (result.theirs == 0 or result.skipped > 0)
    else:
        check(result, collector)
