"""`hprof heap` on dumps of real JVMs, ours and the JDK's own of the same program, against other readers.

Objects are counted by hprof_heap and by VisualVM's heap library. Dominators and retained sizes are computed again here, by the
algorithm of Cooper, Harvey and Kennedy over the references that hprof_heap reads, with the sizes of Eclipse MAT's formula; and
the command proves them itself.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import json

import hprof_heap
import pytest
from asking import ask, told
from test_heapdump_readers import VISUALVM, java_reader

WEAK = ("referent",)
ROOT = 0  # stands for the virtual root
BYTES = {name: hprof_heap.SIZES[number] for number, name in hprof_heap.TYPES.items()}


def aligned(size, to=8):
    return (size + to - 1) // to * to


def mat_size(heap, thing, ref):
    """The size of an object by MAT's formula."""
    def of(types):
        return sum(ref if kind == 2 else hprof_heap.SIZES[kind] for kind in types)
    pointer = heap.id_bytes
    if isinstance(thing, hprof_heap.Class):
        return aligned(of([field.type for field in thing.statics]))
    if isinstance(thing, hprof_heap.Objects):
        return aligned(pointer + ref + 4 + ref * len(thing.items))
    if isinstance(thing, hprof_heap.Primitives):
        return aligned(aligned(pointer + ref + 4, ref) + BYTES[thing.type] * thing.count)
    size = pointer + ref
    for one in reversed(list(heap.chain(thing.cls))):
        size = aligned(size + of([field.type for field in one.fields]), ref)
    return aligned(size)


class Oracle:
    """Dominators of a dump of a JVM, computed in the plainest way."""

    def __init__(self, heap, ref):
        self.heap, self.ref = heap, ref
        self.things = {**heap.objects, **heap.classes}
        self.mirror = next(number for number, one in heap.classes.items() if one.name == "java.lang.Class")
        self.arrays = {one.name: number for number, one in heap.classes.items()}
        threads = {root.rest[0]: root.id for root in heap.roots if root.kind == "thread"}
        self.roots, self.locals = set(), collections.defaultdict(list)
        for root in heap.roots:
            if root.id not in self.things:
                continue
            if root.kind in ("java frame", "jni local") and threads.get(root.rest[0]) in self.things:
                self.locals[threads[root.rest[0]]].append(root.id)
            else:
                self.roots.add(root.id)
        self.solve()

    def successors(self, number):
        thing, heap = self.things[number], self.heap
        if isinstance(thing, hprof_heap.Class):
            found = [self.mirror] + [to for name, to in heap.references(thing)
                                     if not (thing.name == "java.lang.ref.Finalizer" and name == "unfinalized")]
        elif isinstance(thing, hprof_heap.Primitives):
            found = [self.arrays.get(thing.type + "[]")]
        else:
            is_reference = isinstance(thing, hprof_heap.Instance) and any(
                one.name == "java.lang.ref.Reference" for one in heap.chain(thing.cls))
            found = [thing.cls] + [to for name, to in heap.references(thing) if not (is_reference and name in WEAK)]
        return [to for to in found + self.locals.get(number, []) if to in self.things]

    def solve(self):
        before, order, seen = collections.defaultdict(list), [], {ROOT}
        stack = [(ROOT, iter(sorted(self.roots)))]
        while stack:
            at, rest = stack[-1]
            to = next(rest, None)
            if to is None:
                stack.pop()
                order.append(at)
                continue
            before[to].append(at)
            if to not in seen:
                seen.add(to)
                stack.append((to, iter(self.successors(to))))
        order.reverse()
        place = {number: i for i, number in enumerate(order)}
        dom = {ROOT: ROOT}
        changed = True
        while changed:
            changed = False
            for number in order[1:]:
                new = None
                for one in before[number]:
                    if one not in dom:
                        continue
                    other, new = new, one
                    while other is not None and other != new:
                        if place[new] > place[other]:
                            new = dom[new]
                        else:
                            other = dom[other]
                changed |= dom.get(number) != new
                dom[number] = new
        self.retained = {number: mat_size(self.heap, self.things[number], self.ref) for number in order[1:]}
        for number in reversed(order[1:]):
            if dom[number] != ROOT:
                self.retained[dom[number]] += self.retained[number]
        self.dom = dom


def asked(hprof, path, *question):
    return json.loads(ask(hprof, "heap", "--json", "--verify", "--sizes", "mat", "-n", 1000000, path, *question)[0])


def both_dumps(jdk, hprof, start_java, folder):
    """The JDK's dump and ours of one JVM that runs HeapGraph."""
    java = start_java(jdk, None, "HeapGraph", 500, 600000)
    java.wait_for_stdout("ready")
    told(jdk, "jcmd", java.pid, "GC.heap_dump", folder / "theirs.hprof")
    ask(hprof, "dump-heap", "--live", java.pid, folder / "ours.hprof")
    return [folder / "theirs.hprof", folder / "ours.hprof"]


@pytest.mark.jdks(8, 17, 25)
def test_dominators_and_retained_sizes_are_those_of_the_oracle(jdk, hprof, start_java, tmp_path):
    for path in both_dumps(jdk, hprof, start_java, tmp_path):
        heap = hprof_heap.Heap(path.read_bytes())
        page = asked(hprof, path)
        oracle = Oracle(heap, page["layout"]["ref_bytes"])
        assert page["objects"] == len(oracle.things)
        assert page["reachable_objects"] == len(oracle.retained)
        assert page["reachable_bytes"] == sum(size for number, size in oracle.retained.items() if oracle.dom[number] == ROOT)
        tops = {int(row["id"], 16): row["retained_bytes"] for row in asked(hprof, path, "tree")["rows"]}
        assert tops == {number: size for number, size in oracle.retained.items() if oracle.dom[number] == ROOT}
        # Below the largest of them, one level after the other.
        at = max(tops, key=tops.get)
        for _ in range(4):
            rows = {int(row["id"], 16): row["retained_bytes"] for row in asked(hprof, path, "tree", hex(at))["rows"]}
            assert rows == {number: oracle.retained[number] for number in oracle.retained if oracle.dom[number] == at}
            if not rows:
                break
            at = max(rows, key=rows.get)


@pytest.mark.jdks(8, 17, 25)
def test_visualvm_counts_the_same_objects(jdk, hprof, start_java, tmp_path, tmp_path_factory):
    read = java_reader(tmp_path_factory.mktemp("visualvm"), "VisualvmReader", VISUALVM)
    for path in both_dumps(jdk, hprof, start_java, tmp_path):
        instances = int(read(path)[0].split()[1])
        page, rows = asked(hprof, path), asked(hprof, path, "histo")["rows"]
        heap = hprof_heap.Heap(path.read_bytes())
        assert page["objects"] - page["classes"] == instances
        counted = collections.Counter()
        for row in rows:
            counted[row["class"]] += row["objects"]
        counted["java.lang.Class"] -= page["classes"]
        assert +counted == +heap.histogram()


@pytest.mark.jdks(17, 25)
def test_a_node_is_found_with_its_path(jdk, hprof, start_java, tmp_path):
    path = both_dumps(jdk, hprof, start_java, tmp_path)[0]
    heap = hprof_heap.Heap(path.read_bytes())
    nodes = [one.id for one in heap.instances_of("HeapGraph$Node")]
    steps = asked(hprof, path, "path", hex(nodes[len(nodes) // 2]))["rows"]
    assert steps[0]["root"] and int(steps[-1]["id"], 16) == nodes[len(nodes) // 2]
    for one, other in zip(steps, steps[1:]):
        thing = heap.objects.get(int(one["id"], 16)) or heap.classes[int(one["id"], 16)]
        direct = [to for _, to in heap.references(thing)] + [getattr(thing, "cls", None)]
        assert int(other["id"], 16) in direct or other["by"] == "local"
    shown = asked(hprof, path, "show", steps[-1]["id"])
    assert {row["field"] for row in shown["rows"]} >= {"name"}
    assert "(left out)" in json.dumps(shown) or all(row["value"] is None or isinstance(row["value"], dict) for row in shown["rows"])
