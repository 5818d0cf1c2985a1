"""Reads the heap dump of a binary HPROF file: ours, the JVM's own, and the original agent's.

An independent reader, made from the format's description. `Heap(data)` asserts what must hold in every file: records end
where they say, ids are there once, instances have the size that their class gives.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import gc
import struct

SIZES = {4: 1, 5: 2, 6: 4, 7: 8, 8: 1, 9: 2, 10: 4, 11: 8}
TYPES = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
FORMATS = {4: ">?", 5: ">H", 6: ">f", 7: ">d", 8: ">b", 9: ">h", 10: ">i", 11: ">q"}
LETTERS = dict(zip("ZCFDBSIJ", (TYPES[number] for number in (4, 5, 6, 7, 8, 9, 10, 11))))
# Roots: the kind's name, and the layout behind the object's id (I an id, 4 four bytes).
ROOTS = {0xFF: ("unknown", ""), 0x01: ("jni global", "I"), 0x02: ("jni local", "44"), 0x03: ("java frame", "44"),
         0x04: ("native stack", "4"), 0x05: ("sticky class", ""), 0x06: ("thread block", "4"), 0x07: ("monitor", ""),
         0x08: ("thread", "44")}

Class = collections.namedtuple("Class", "id name super loader size statics fields constants trace signers domain")
Field = collections.namedtuple("Field", "name type value")
Instance = collections.namedtuple("Instance", "id cls trace data")
Objects = collections.namedtuple("Objects", "id cls trace items")
Primitives = collections.namedtuple("Primitives", "id type trace count data")
Root = collections.namedtuple("Root", "kind id rest")


def java_name(name):
    """java/lang/String, [I and [Lx/Y; as Java source writes them."""
    dimensions = len(name) - len(name.lstrip("["))
    if dimensions:
        name = name[dimensions:]
        name = name[1:-1] if name.startswith("L") else LETTERS[name]
    return name.replace("/", ".") + "[]" * dimensions


class Heap:
    """One file with one or more dumps; the objects are those of the dump number `which` (the last by default)."""

    TAGS_OF_OPTIONS = {0x0E, 0x0D, 0x06, 0x07, 0x03}    # which the JVM's own dumps never have

    def __init__(self, data, which=-1):
        end = data.index(b"\0")
        self.version = data[:end].decode()
        self.id_bytes, = struct.unpack_from(">I", data, end + 1)
        self.letter = "Q" if self.id_bytes == 8 else "I"
        # What stands before the values of an instance, an array of objects, and one of numbers.
        self.one, self.instance, self.objects_head, self.primitives_head = (
            struct.Struct(">" + layout.replace("i", self.letter)) for layout in ("i", "iIiI", "iIIi", "iIIB"))
        self.layouts = {}  # by class, see reference_fields()
        self.strings, self.names, self.serials, self.traces, self.frames = {}, {}, {}, {}, {}
        self.started = {}
        self.unloaded = []  # names of classes, by UNLOAD CLASS records
        self.nameless = 0  # frames whose class had no LOAD CLASS before them
        self.announced = collections.Counter()  # LOAD CLASS records by serial
        self.numbers, self.ids_of_frames = {}, set()  # the id of each serial; those of classes that frames name
        dumps, at, is_open = [], end + 13, False
        self.tags = collections.Counter()
        while at < len(data):
            tag, _, length = struct.unpack_from(">BII", data, at)
            body = memoryview(data)[at + 9:at + 9 + length]
            assert len(body) == length, "a record ends behind the file's end"
            at += 9 + length
            self.tags[tag] += 1
            if tag in (0x0C, 0x1C):
                if not is_open:
                    dumps.append([])
                is_open = tag == 0x1C
                dumps[-1].append((body, dict(self.names)))
            elif tag == 0x2C:
                is_open = False
            else:
                self.record(tag, body)
        assert not is_open, "no HEAP DUMP END"
        self.dump_count = len(dumps)
        self.roots, self.classes, self.objects = [], {}, {}
        self.class_at, self.class_bodies = {}, []
        gc.disable()    # Python would look again and again whether any of so many is garbage; none is
        try:
            for body, names in dumps[which] if dumps else []:
                self.names = names
                self.segment(body)
        finally:
            gc.enable()

    def ids(self, body, at, count):
        if count == 1:
            return self.one.unpack_from(body, at)
        return struct.unpack_from(">%d%s" % (count, self.letter), body, at)

    def record(self, tag, body):
        n = self.id_bytes
        if tag == 0x01:
            self.strings[self.ids(body, 0, 1)[0]] = bytes(body[n:]).decode("utf-8", "surrogateescape")
        elif tag == 0x02:
            serial, = struct.unpack_from(">I", body)
            number, = self.ids(body, 4, 1)
            name, = self.ids(body, 8 + n, 1)
            self.names[number] = java_name(self.strings[name])
            self.announced[serial] += 1
            self.numbers[serial] = number
            self.serials[serial] = self.names[number]
        elif tag == 0x03:
            self.unloaded.append(self.serials[struct.unpack(">I", body)[0]])
        elif tag == 0x04:
            name = self.ids(body, n, 1)[0]
            serial, line = struct.unpack_from(">Ii", body, 4 * n)
            self.nameless += serial not in self.serials
            self.ids_of_frames.add(self.numbers.get(serial))
            self.frames[self.ids(body, 0, 1)[0]] = (self.serials.get(serial), self.strings[name], line)
        elif tag == 0x05:
            serial, thread, count = struct.unpack_from(">III", body)
            self.traces[serial] = (thread, [self.frames[i] for i in self.ids(body, 12, count)])
        elif tag == 0x0A:
            serial, = struct.unpack_from(">I", body)
            self.started[serial] = self.strings.get(self.ids(body, 8 + n, 1)[0])

    def segment(self, body):
        at, n = 0, self.id_bytes
        while at < len(body):
            tag = body[at]
            at += 1
            if tag in ROOTS:
                kind, layout = ROOTS[tag]
                number, = self.ids(body, at, 1)
                at += n
                rest = []
                for letter in layout:
                    rest.append(struct.unpack_from(">i" if letter == "4" else ">" + self.letter, body, at)[0])
                    at += 4 if letter == "4" else n
                self.roots.append(Root(kind, number, rest))
            elif tag == 0x20:
                at = self.class_dump(body, at)
            elif tag == 0x21:
                number, trace, cls, length = self.instance.unpack_from(body, at)
                at += self.instance.size
                self.add(Instance(number, cls, trace, bytes(body[at:at + length])))
                at += length
            elif tag == 0x22:
                number, trace, count, cls = self.objects_head.unpack_from(body, at)
                at += self.objects_head.size
                self.add(Objects(number, cls, trace, self.ids(body, at, count)))
                at += count * n
            elif tag == 0x23:
                number, trace, count, kind = self.primitives_head.unpack_from(body, at)
                at += self.primitives_head.size
                size = count * SIZES[kind]
                self.add(Primitives(number, TYPES[kind], trace, count, bytes(body[at:at + size])))
                at += size
            else:
                raise AssertionError("sub-record of an unknown tag %x at %d" % (tag, at - 1))
        assert at == len(body), "a sub-record ends behind its segment"

    def add(self, thing):
        assert thing.id not in self.objects, "object %x twice" % thing.id
        self.objects[thing.id] = thing

    def value(self, kind, body, at):
        if kind == 2:
            return self.ids(body, at, 1)[0], at + self.id_bytes
        return struct.unpack_from(FORMATS[kind], body, at)[0], at + SIZES[kind]

    def class_dump(self, body, at):
        n = self.id_bytes
        number, = self.ids(body, at, 1)
        trace, = struct.unpack_from(">I", body, at + n)
        above, loader, signers, domain = self.ids(body, at + n + 4, 4)
        size, = struct.unpack_from(">I", body, at + 7 * n + 4)
        at += 7 * n + 8
        constants, statics, fields = {}, [], []
        count, = struct.unpack_from(">H", body, at)
        at += 2
        for _ in range(count):
            index, kind = struct.unpack_from(">HB", body, at)
            constants[index], at = self.value(kind, body, at + 3)
        count, = struct.unpack_from(">H", body, at)
        at += 2
        for _ in range(count):
            name = self.strings[self.ids(body, at, 1)[0]]
            kind = body[at + n]
            value, at = self.value(kind, body, at + n + 1)
            statics.append(Field(name, kind, value))
        count, = struct.unpack_from(">H", body, at)
        at += 2
        for _ in range(count):
            name = self.strings[self.ids(body, at, 1)[0]]
            fields.append(Field(name, body[at + n], None))
            at += n + 1
        assert number not in self.classes, "class %x twice" % number
        self.classes[number] = Class(number, self.names[number], above, loader, size, statics, fields, constants, trace,
                                     signers, domain)
        return at

    # what a test asks

    def name_of(self, thing):
        if isinstance(thing, Primitives):
            return thing.type + "[]"
        if isinstance(thing, Class):
            return "java.lang.Class"
        return self.classes[thing.cls].name

    def chain(self, cls):
        """The class, its superclass, and so on."""
        while cls:
            yield self.classes[cls]
            cls = self.classes[cls].super

    def fields(self, instance):
        """The values by name; a field that a superclass has as well is the class's own."""
        at, values = 0, {}
        for cls in self.chain(instance.cls):
            for field in cls.fields:
                value, at = self.value(field.type, instance.data, at)
                values.setdefault(field.name, value)
        assert at == len(instance.data), "the fields of %s do not fill its %d bytes" % (
            self.name_of(instance), len(instance.data))
        return values

    def get(self, number):
        return self.objects.get(number) or self.classes.get(number)

    def classes_named(self, name):
        return [cls for cls in self.classes.values() if cls.name == name]

    def instances_of(self, name):
        return [thing for thing in self.objects.values() if self.name_of(thing) == name]

    def histogram(self):
        return collections.Counter(self.name_of(thing) for thing in self.objects.values())

    def text(self, number):
        """The text of a java.lang.String."""
        if not number:
            return None
        values = self.fields(self.objects[number])
        array = self.objects[values["value"]]
        if array.type == "char":
            return array.data.decode("utf-16-be", "surrogatepass")
        if values.get("coder"):
            return array.data.decode("utf-16-le", "surrogatepass")
        return array.data.decode("latin-1")

    def reference_fields(self, cls):
        """[(name, offset)] of the references in an instance of the class."""
        if cls not in self.layouts:
            at, found = 0, []
            for one in self.chain(cls):
                for field in one.fields:
                    if field.type == 2:
                        found.append((field.name, at))
                    at += self.id_bytes if field.type == 2 else SIZES[field.type]
            self.layouts[cls] = found
        return self.layouts[cls]

    def references(self, thing):
        """Every id that an object or class refers to, with where."""
        if isinstance(thing, Objects):
            return [("[%d]" % i, item) for i, item in enumerate(thing.items) if item]
        if isinstance(thing, Class):
            found = [(field.name, field.value) for field in thing.statics if field.type == 2]
            found += list(thing.constants.items()) + [("super", thing.super), ("loader", thing.loader),
                                                 ("signers", thing.signers), ("domain", thing.domain)]
            return [(name, number) for name, number in found if number]
        if isinstance(thing, Primitives):
            return []
        found = [(name, self.one.unpack_from(thing.data, at)[0]) for name, at in self.reference_fields(thing.cls)]
        return [(name, number) for name, number in found if number]

    def dangling(self):
        """References that lead to no record."""
        return [(self.name_of(thing), name, number)
                for thing in list(self.objects.values()) + list(self.classes.values())
                for name, number in self.references(thing) if not self.get(number)]

    def reachable(self):
        """The ids of what is held, by references from the roots on: not by a reference object, nor by a constant, which most readers
        do not follow."""
        seen, left = set(), [root.id for root in self.roots]
        while left:
            number = left.pop()
            thing = self.get(number)
            if thing and number not in seen:
                seen.add(number)
                left += [other for where, other in self.references(thing) if isinstance(where, str) and where != "referent"]
                if isinstance(thing, (Instance, Objects)):
                    left.append(thing.cls)
        return seen

    def check(self):
        """What holds in every dump of ours."""
        for thing in self.objects.values():
            if isinstance(thing, Instance):
                assert len(thing.data) == self.classes[thing.cls].size and not self.name_of(thing).endswith("[]")
            elif isinstance(thing, Objects):    # readers end where the class of an object has no record
                assert self.name_of(thing).endswith("[]"), "an array of %s" % self.name_of(thing)
        # The VM's own array of an archive's mirrors has those of classes that nobody has loaded, which are in no dump, HotSpot's neither.
        lost = self.dangling()
        archived = {thing.id for thing in self.objects.values() if lost and isinstance(thing, Objects) and len(thing.items) > 100
                    and self.name_of(thing) == "java.lang.Object[]" and not all(self.get(number) for number in thing.items if number)}
        lost = [row for row in lost if row[0] != "java.lang.Object[]" or len(archived) > 2]
        assert not lost, lost[:10]
        twice = [(self.serials[serial], serial) for serial, count in self.announced.items() if count > 1]
        assert not twice, "serials of more than one LOAD CLASS: %r" % twice[:10]
        assert not self.nameless, "%d frames stand before the LOAD CLASS of their class" % self.nameless
        # A class that only a stack names, because it is gone, has an id that is no object's.
        gone = set(self.names) - set(self.classes)
        assert set(self.classes) <= set(self.names)
        assert self.dump_count > 1 or gone <= self.ids_of_frames, [self.names[number] for number in gone][:10]
        assert all(cls.trace in self.traces or cls.trace == 300000 for cls in self.classes.values())
        threads = {root.rest[0] for root in self.roots if root.kind == "thread"}
        assert threads <= set(self.started), "threads without START THREAD: %r" % (threads - set(self.started))
        for root in self.roots:
            assert self.get(root.id), "a root %r without a record" % (root,)
            if root.kind in ("java frame", "jni local", "thread block"):
                assert root.rest[0] in threads, "a root of a thread that is none: %r" % (root,)
            if root.kind == "sticky class":
                assert root.id in self.classes or self.name_of(self.get(root.id)) == "java.lang.Class", (
                    "a class that is none: %r, a %s" % (root, self.name_of(self.get(root.id))))
        for root in self.roots:
            if root.kind == "thread":
                assert root.rest[1] in self.traces or root.rest[1] == 300000
