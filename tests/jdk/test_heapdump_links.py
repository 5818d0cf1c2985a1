"""Constants, signers and protection domains of classes in heap dumps: by the child, and by JVM TI inside the pause.

SPDX-License-Identifier: Apache-2.0
"""
import hprof_heap
import pytest
from test_heapdump import dump_of
from test_heapdump_selftest import options_of


OPEN = ["--add-opens=java.base/java.lang=ALL-UNNAMED"]     # for Class.setSigners()


def constants(heap, cls):
    """By index: the text of a string, or the name of a class."""
    found = {}
    for index, number in cls.constants.items():
        thing = heap.get(number)
        found[index] = "class " + thing.name if isinstance(thing, hprof_heap.Class) else heap.text(number)
    return found


def check(heap):
    cls, = heap.classes_named("HeapLinks$Signed")
    values = constants(heap, cls).values()
    assert {"a constant of Signed", "another one", "caf\u00e9", "class java.lang.StringBuilder", "class long[][]",
            "class java.lang.Object"} <= set(values)
    assert "not resolved" not in values
    statics = {field.name: field.value for field in heap.classes_named("HeapLinks")[0].statics}
    assert heap.text(heap.objects[statics["signers"]].items[0]) == "a signer"
    assert (cls.signers, cls.domain) == (statics["signers"], statics["domain"])
    assert heap.name_of(heap.objects[cls.domain]) == "java.security.ProtectionDomain"
    boot, = heap.classes_named("java.lang.String")
    assert (boot.loader, boot.signers, boot.domain) == (0, 0, 0)


@pytest.mark.parametrize("collector", ["serial", "g1", "shen"])
def test_the_child_writes_them(jdk, collector, run_java):
    vm = OPEN if jdk.number > 8 else []
    # On JDK 8 with sites, for which classes are retransformed: what they were before is no class of the dump.
    heap = dump_of(run_java(jdk, "heap=dump,format=b", "HeapLinks", vm=[*vm, *options_of(jdk, collector)]))
    check(heap)
    assert sum(len(cls.constants) for cls in heap.classes.values()) > 1000
    assert all(heap.get(number) for cls in heap.classes.values() for number in cls.constants.values())


def test_jvm_ti_shows_the_same(jdk, run_java, tmp_path):
    vm = OPEN if jdk.number > 8 else []
    ours, theirs = (dump_of(run_java(jdk, "heap=dump,format=b" + options, "HeapLinks", vm=vm, cwd=tmp_path / name))
                    for name, options in (("child", ""), ("pause", ",fork=n")))
    check(theirs)
    for name in ("HeapLinks", "HeapLinks$Signed", "java.lang.Integer", "java.util.HashMap", "java.io.File"):
        mine, its = (constants(heap, heap.classes_named(name)[0]) for heap in (ours, theirs))
        assert mine and set(mine.items()) <= set(its.items()), name
        # What JVM TI has more: classes that are loaded but have not been resolved from here.
        assert all(str(its[index]).startswith("class ") for index in set(its) - set(mine)), name
