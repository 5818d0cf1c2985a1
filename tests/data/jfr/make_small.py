#!/usr/bin/env python3
"""make_small - writes small.jfr: two chunks with an event of every kind of field, for tests of the reader; and spans.jfr, whose
durations are 5 ns, none, and without end; and times.jfr, samples each 100 ms for two seconds, of one stack in the first and another in the second;
and jvm.jfr, what a JVM says of its arguments and settings, samples of CPU time, and threads that wait; and build.jfr and worker.jfr, of two JVMs that
number their threads alike, with what these worked for; and marked.jfr, types that no
released JDK has, one experimental and one internal, with descriptions of fields; and contexts.jfr, reads and samples within traces and orders, whose
fields are marked as Contextual: an order within another one, a trace with a quote in its name, and a sample of another thread; and enters.jfr, waits
for a monitor each 100 ms for two seconds, of 1 ms in the first and of 4 ms in the second; and nested.jfr, 40 constants each of which names the next
one ten times, as no JVM writes them; and names.jfr, types and fields whose names SQL could take for something else, one of 2,100 fields; and
questions.jfr, collections, allocations, reads, locks, exceptions, loads of threads and loaders, in requests of users.

Layout: docs/format/jfr.md. The first chunk is of version 2.1 with two chained checkpoints, the second of 2.0 as JDK 8 and 11 write it: padded
sizes, metadata last. SPDX-License-Identifier: Apache-2.0
"""
import os
import struct
import sys

PRIMITIVES = ["boolean", "byte", "char", "short", "int", "long", "float", "double", "java.lang.String"]


def leb(number):
    number &= (1 << 64) - 1
    out = bytearray()
    for _ in range(8):
        if number < 0x80:
            out.append(number)
            return bytes(out)
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def chars(text):
    units = struct.unpack("<%dH" % (len(text.encode("utf-16-le")) // 2), text.encode("utf-16-le"))
    return bytes([4]) + leb(len(units)) + b"".join(map(leb, units))


def utf8(text):
    return bytes([3]) + leb(len(text.encode())) + text.encode()


def latin1(text):
    return bytes([5]) + leb(len(text)) + text.encode("latin-1")


def pooled(key):
    return bytes([2]) + leb(key)


def record(type_id, payload, padded=False):
    body = leb(type_id) + payload
    if padded:
        size = len(body) + 4
        return bytes([size & 0x7F | 0x80, size >> 7 & 0x7F | 0x80, size >> 14 & 0x7F | 0x80, size >> 21]) + body
    size = len(body) + 1
    while len(leb(size)) + len(body) > size:
        size += 1
    return leb(size) + body


class Element:
    def __init__(self, tag, /, *children, **pairs):
        self.name, self.children, self.pairs = tag, children, pairs

    def strings(self):
        yield self.name
        for key, value in self.pairs.items():
            yield key.rstrip("_").replace("__", "-")
            yield value
        for child in self.children:
            yield from child.strings()

    def bytes(self, table):
        out = leb(table[self.name]) + leb(len(self.pairs))
        for key, value in self.pairs.items():
            out += leb(table[key.rstrip("_").replace("__", "-")]) + leb(table[value])
        out += leb(len(self.children))
        return out + b"".join(child.bytes(table) for child in self.children)


NAMES = PRIMITIVES + ["jdk.types.Symbol", "java.lang.Class", "java.lang.Thread", "jdk.types.Method", "jdk.types.FrameType",
                      "jdk.types.StackFrame", "jdk.types.StackTrace", "jdk.jfr.Label", "jdk.jfr.Timestamp", "jdk.jfr.Timespan",
                      "jdk.jfr.DataAmount", "jdk.jfr.Category", "jdk.jfr.Unsigned", "test.Everything", "jdk.ExecutionSample", "test.Small",
         "jdk.CPUTimeSample", "jdk.JVMInformation", "jdk.InitialSystemProperty", "jdk.InitialEnvironmentVariable", "jdk.SystemProcess",
         "jdk.ActiveSetting", "jdk.FileRead", "jdk.FileWrite", "jdk.SocketRead", "jdk.JavaMonitorEnter", "jdk.JavaMonitorWait", "jdk.ThreadPark", "hprof.types.Context",
         "jdk.jfr.Experimental", "jdk.jfr.Description", "test.Marked", "jdk.Text",
         "jdk.jfr.Contextual", "test.Trace", 'test."Order', "test.Read", "test.Node", "test.Nested",
         "test.Names", "TEST.names", "events", 'a"; drop table "x', "test.Wide", "other.Wide", "sqlite_master", "",
         "jdk.types.GCCause", "jdk.types.ClassLoader", "jdk.GarbageCollection", "jdk.ObjectAllocationSample", "jdk.JavaExceptionThrow",
         "jdk.ThreadCPULoad", "jdk.ClassLoaderStatistics", "acme.Request", "jdk.GCHeapSummary", "jdk.types.VirtualSpace"]
ID = {name: number for number, name in enumerate(NAMES, 20)}


def note(name, /, **pairs):
    return Element("annotation", class_=str(ID[name]), **pairs)


def field(name, type_name, *notes, pool=False, array=False):
    pairs = {"name": name, "class_": str(ID[type_name])}
    if pool:
        pairs["constantPool"] = "true"
    if array:
        pairs["dimension"] = "1"
    return Element("field", *notes, **pairs)


def klass(name, /, *children, **pairs):
    return Element("class", *children, name=name, id=str(ID[name]), **pairs)


def annotation_type(name, kind="java.lang.String", array=False):
    return klass(name, field("value", kind, array=array), superType="java.lang.annotation.Annotation")


def start():
    return field("startTime", "long", note("jdk.jfr.Timestamp", value="TICKS"))


def types():
    stack = field("stackTrace", "jdk.types.StackTrace", pool=True)
    return [klass(name) for name in PRIMITIVES] + [
        klass("jdk.types.Symbol", field("string", "java.lang.String"), simpleType="true"),
        klass("java.lang.Class", field("name", "jdk.types.Symbol", pool=True), field("modifiers", "int")),
        klass("java.lang.Thread", field("osName", "java.lang.String"), field("osThreadId", "long"),
              field("javaName", "java.lang.String"), field("javaThreadId", "long")),
        klass("jdk.types.Method", field("type", "java.lang.Class", pool=True), field("name", "jdk.types.Symbol", pool=True),
              field("descriptor", "jdk.types.Symbol", pool=True), field("hidden", "boolean")),
        klass("jdk.types.FrameType", field("description", "java.lang.String"), simpleType="true"),
        klass("jdk.types.StackFrame", field("method", "jdk.types.Method", pool=True), field("lineNumber", "int"),
              field("bytecodeIndex", "int"), field("type", "jdk.types.FrameType", pool=True)),
        klass("jdk.types.StackTrace", field("truncated", "boolean"), field("frames", "jdk.types.StackFrame", array=True)),
        annotation_type("jdk.jfr.Label"), annotation_type("jdk.jfr.Timestamp"), annotation_type("jdk.jfr.Timespan"),
        annotation_type("jdk.jfr.DataAmount"), annotation_type("jdk.jfr.Category", array=True),
        klass("jdk.jfr.Unsigned", superType="java.lang.annotation.Annotation"),
        klass("test.Everything", note("jdk.jfr.Label", value="Everything"), note("jdk.jfr.Category", value__0="Test", value__1="All of it"),
              start(), field("duration", "long", note("jdk.jfr.Timespan", value="TICKS")),
              field("eventThread", "java.lang.Thread", pool=True), stack,
              field("z", "boolean"), field("b", "byte", note("jdk.jfr.Unsigned")), field("c", "char"), field("s", "short"),
              field("i", "int"), field("l", "long", note("jdk.jfr.DataAmount", value="BYTES")), field("f", "float"), field("d", "double"),
              field("text", "java.lang.String"), field("klass", "java.lang.Class", pool=True), field("numbers", "int", array=True),
              superType="jdk.jfr.Event"),
        klass("jdk.ExecutionSample", note("jdk.jfr.Label", value="Method Profiling Sample"), start(),
              field("sampledThread", "java.lang.Thread", pool=True), stack, superType="jdk.jfr.Event"),
        klass("test.Small", start(), superType="jdk.jfr.Event"),
    ]


def jvm_types():
    def event(name, *fields):
        return klass(name, start(), *fields, superType="jdk.jfr.Event")

    def text(name):
        return field(name, "java.lang.String")
    blocked = [field("duration", "long", note("jdk.jfr.Timespan", value="TICKS")), field("eventThread", "java.lang.Thread", pool=True),
               field("stackTrace", "jdk.types.StackTrace", pool=True)]
    return types() + [
        event("jdk.CPUTimeSample", *blocked[:0:-1], field("samplingPeriod", "long", note("jdk.jfr.Timespan", value="NANOSECONDS"))),
        event("jdk.JVMInformation", text("jvmArguments"), text("javaArguments")),
        event("jdk.InitialSystemProperty", text("key"), text("value")),
        event("jdk.InitialEnvironmentVariable", text("key"), text("value")),
        event("jdk.SystemProcess", text("pid"), text("commandLine")),
        event("jdk.ActiveSetting", field("id", "long"), text("name"), text("value")),
        event("jdk.FileRead"), event("jdk.FileWrite"), event("jdk.SocketRead"),
        event("jdk.JavaMonitorEnter", *blocked, field("monitorClass", "java.lang.Class", pool=True)),
        event("jdk.JavaMonitorWait", *blocked, field("monitorClass", "java.lang.Class", pool=True)),
        event("jdk.ThreadPark", *blocked, field("parkedClass", "java.lang.Class", pool=True)),
    ]


def process_types():
    about = field("context", "hprof.types.Context", pool=True)
    blocked = [field("duration", "long", note("jdk.jfr.Timespan", value="TICKS")), field("eventThread", "java.lang.Thread", pool=True),
               field("stackTrace", "jdk.types.StackTrace", pool=True)]
    others = [described for described in types() if described.pairs.get("name") != "jdk.ExecutionSample"]
    return others + [
        klass("hprof.types.Context", field("user", "java.lang.String"), field("thread", "java.lang.String")),
        klass("jdk.ExecutionSample", start(), field("sampledThread", "java.lang.Thread", pool=True), blocked[2], about, superType="jdk.jfr.Event"),
        klass("jdk.JavaMonitorEnter", start(), *blocked, field("monitorClass", "java.lang.Class", pool=True), about, superType="jdk.jfr.Event"),
        klass("jdk.JVMInformation", start(), field("javaArguments", "java.lang.String"), field("jvmStartTime", "long"), field("pid", "long"),
              superType="jdk.jfr.Event"),
    ]


def marked_types():
    return types() + [
        klass("jdk.jfr.Experimental", superType="java.lang.annotation.Annotation"), annotation_type("jdk.jfr.Description"),
        klass("test.Marked", note("jdk.jfr.Experimental"), note("jdk.jfr.Description", value="An event of tomorrow."), start(),
              field("depth", "int", note("jdk.jfr.Label", value="Depth"), note("jdk.jfr.Description", value="Fathoms\x1b[2J below.")),
              # not said again: the event is experimental as a whole
              field("early", "int", note("jdk.jfr.Experimental")),
              field("plain", "int"), superType="jdk.jfr.Event"),
        klass("jdk.Text", note("jdk.jfr.Category", value__0="Java Virtual Machine", value__1="Internal"), start(),
              field("text", "java.lang.String", note("jdk.jfr.Experimental")), superType="jdk.jfr.Event"),
    ]


def context_types():
    def event(name, *fields):
        return klass(name, start(), field("duration", "long", note("jdk.jfr.Timespan", value="TICKS")),
                     field("eventThread", "java.lang.Thread", pool=True), *fields, superType="jdk.jfr.Event")
    about = note("jdk.jfr.Contextual")
    return types() + [
        klass("jdk.jfr.Contextual", superType="java.lang.annotation.Annotation"),
        event("test.Trace", field("user", "java.lang.String", about), field("plain", "int"), field("parts", "int", about, array=True)),
        event('test."Order', field("number", "int", about)), event("test.Read", field("bytes", "int")),
    ]


def nested_types():
    nodes = [field("next%d" % number, "test.Node", pool=True) for number in range(10)]
    return types() + [klass("test.Node", *nodes), klass("test.Nested", start(), field("node", "test.Node", pool=True), superType="jdk.jfr.Event")]


def names_types():
    def event(name, *fields):
        return klass(name, start(), *fields, superType="jdk.jfr.Event")

    def numbers(*names):
        return [field(name, "int") for name in names]
    return types() + [
        event("test.Names", *numbers("x", "X", "rowid", "_rowid_", "oid", '"', "a b", "select", "start", "\x1b[2J", "x#2", "a.b", "stack")),
        event("TEST.names", *numbers("other")), event("events", *numbers("x")), event('a"; drop table "x', *numbers("'); drop table x; --")),
        event("test.Wide", *numbers(*["f%04d" % number for number in range(2100)])), event("other.Wide"), event("sqlite_master", *numbers("x")),
        event("", *numbers("")),
    ]


def question_types():
    length, stack = note("jdk.jfr.Timespan", value="TICKS"), field("stackTrace", "jdk.types.StackTrace", pool=True)
    thread, size = field("eventThread", "java.lang.Thread", pool=True), note("jdk.jfr.DataAmount", value="BYTES")

    def event(name, *fields):
        return klass(name, start(), *fields, superType="jdk.jfr.Event")

    def timed(name, *fields):
        return event(name, field("duration", "long", length), thread, stack, *fields)
    return types() + [
        klass("jdk.types.GCCause", field("cause", "java.lang.String"), simpleType="true"),
        klass("jdk.types.ClassLoader", field("type", "java.lang.Class", pool=True), field("name", "jdk.types.Symbol", pool=True)),
        klass("jdk.types.VirtualSpace", field("committedSize", "long", size), field("reservedSize", "long", size)),
        event("jdk.GarbageCollection", field("duration", "long", length), field("gcId", "int"), field("name", "java.lang.String"),
              field("cause", "jdk.types.GCCause", pool=True), field("sumOfPauses", "long", length), field("longestPause", "long", length)),
        event("jdk.GCHeapSummary", field("gcId", "int"), field("heapSpace", "jdk.types.VirtualSpace"), field("heapUsed", "long", size)),
        event("jdk.ObjectAllocationSample", thread, stack, field("objectClass", "java.lang.Class", pool=True), field("weight", "long", size)),
        timed("jdk.SocketRead", field("host", "java.lang.String"), field("bytesRead", "long", size)),
        timed("jdk.JavaMonitorEnter", field("monitorClass", "java.lang.Class", pool=True), field("previousOwner", "java.lang.Thread", pool=True)),
        event("jdk.JavaExceptionThrow", thread, stack, field("thrownClass", "java.lang.Class", pool=True)),
        event("jdk.ThreadCPULoad", thread, field("user", "float"), field("system", "float")),
        event("jdk.ClassLoaderStatistics", field("classLoader", "jdk.types.ClassLoader", pool=True), field("classLoaderData", "long"),
              field("classCount", "long")),
        timed("acme.Request", field("user", "java.lang.String"), field("path", "java.lang.String")),
    ]


def metadata(padded, described):
    root = Element("root", Element("metadata", *described()), Element("region", locale="en", gmtOffset="3600000"))
    table = {text: number for number, text in enumerate(dict.fromkeys(root.strings()))}
    payload = leb(1000) + leb(0) + leb(1) + leb(len(table)) + b"".join(map(chars, table)) + root.bytes(table)
    return record(0, payload, padded)


def checkpoint(distance, pools, padded):
    payload = leb(1000) + leb(0) + leb(distance) + bytes([1]) + leb(len(pools))
    for name, constants in pools:
        payload += leb(ID[name]) + leb(len(constants))
        payload += b"".join(leb(key) + value for key, value in constants)
    return record(1, payload, padded)


POOLS = [
    [("jdk.types.Symbol", [(1, utf8("test/Work")), (2, utf8("run")), (3, utf8("()V")), (4, utf8("main"))]),
     ("java.lang.Class", [(1, leb(1) + leb(1))]),
     ("java.lang.String", [(7, utf8("a text of the pool"))])],
    [("java.lang.Thread", [(1, utf8("main") + leb(4711) + utf8("main") + leb(1)), (2, utf8("gc") + leb(4712) + bytes([0]) + leb(0))]),
     ("jdk.types.Method", [(1, leb(1) + leb(2) + leb(3) + b"\0"), (2, leb(1) + leb(4) + leb(3) + b"\0")]),
     ("jdk.types.FrameType", [(1, utf8("Interpreted")), (2, utf8("JIT compiled"))]),
     ("jdk.types.StackTrace", [(1, b"\0" + leb(2) + leb(1) + leb(12) + leb(3) + leb(2) + leb(2) + leb(40) + leb(9) + leb(1)),
                               (2, b"\1" + leb(1) + leb(2) + leb(41) + leb(10) + leb(1))])],
]


# Classes of their own in place of the first pool's.
JVM_CLASSES = ["test/Work", "java/util/concurrent/locks/ReentrantLock$NonfairSync",
               "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject"]


def jvm_pools():
    symbols = [(1, utf8("test/Work")), (2, utf8("run")), (3, utf8("()V")), (4, utf8("main"))]
    symbols += [(10 + number, utf8(name)) for number, name in enumerate(JVM_CLASSES)]
    classes = [(1, leb(1) + leb(1))] + [(10 + number, leb(10 + number) + leb(1)) for number in range(len(JVM_CLASSES))]
    # Below Java a function of a library and one of the kernel, as async-profiler writes them.
    symbols += [(20, utf8("libc.so.6")), (21, utf8("write")), (22, utf8("()L;")), (23, utf8("")), (24, utf8("vfs_write")), (25, utf8("(Lk;)L;"))]
    classes += [(20, leb(20) + leb(0)), (23, leb(23) + leb(0))]
    kept = dict(POOLS[1])
    kept["jdk.types.Method"] = kept["jdk.types.Method"] + [(3, leb(20) + leb(21) + leb(22) + b"\0"), (4, leb(23) + leb(24) + leb(25) + b"\0")]
    kept["jdk.types.FrameType"] = kept["jdk.types.FrameType"] + [(3, utf8("Native")), (4, utf8("Kernel"))]
    frames = [(4, 0, 0, 4), (3, 0, 0, 3), (1, 12, 3, 2), (2, 40, 9, 1)]
    kept["jdk.types.StackTrace"] = kept["jdk.types.StackTrace"] + [(3, b"\0" + leb(4) + b"".join(b"".join(map(leb, frame)) for frame in frames))]
    return [[("jdk.types.Symbol", symbols), ("java.lang.Class", classes), POOLS[0][2]], list(kept.items())]


def everything(start, duration, number, text, padded):
    return record(ID["test.Everything"], leb(start) + leb(duration) + leb(1) + leb(1 + number % 2) + bytes([number % 2, 0xFF]) +
                  leb(65 + number) + leb(-number) + leb(-1 - number) + leb(-(1 << 40)) + struct.pack(">fd", 0.1, -1e300) + text +
                  leb(number % 2) + leb(3) + leb(1) + leb(200) + leb(-3), padded)


def spans(base, padded):
    for number, duration in enumerate([5, -(1 << 63), (1 << 63) - 1, -(1 << 63)]):
        yield everything(base + number, duration, number // 3, b"\0", padded)


def times(base, padded):
    for number in range(20):
        yield record(ID["jdk.ExecutionSample"], leb(base + number * 100_000_000) + leb(1 + number % 2) + leb(1 + number // 10), padded)


def enters(base, padded):
    for number in range(20):
        duration = 1_000_000 if number < 10 else 4_000_000
        yield record(ID["jdk.JavaMonitorEnter"], leb(base + number * 100_000_000) + leb(duration) + leb(1) + leb(1 + number // 10) + leb(1), padded)


SAID = [
    ("jdk.JVMInformation", "-Xmx1g -Ddb.password=open sesame -Dplain=seen -Dmy.db.password=in;the;other", "--db.password=4711 --port=80 file"),
    ("jdk.InitialSystemProperty", "db.password", "open sesame"),
    ("jdk.InitialSystemProperty", "plain", "seen"),
    ("jdk.InitialEnvironmentVariable", "JAVA_TOOL_OPTIONS", "-Ddb.password=tools -Xss1m"),
    ("jdk.SystemProcess", "12", "java -Ddb.password=process Main"),
]


def jvm(base, padded):
    def event(name, number, content):
        return record(ID[name], leb(base + number * 1_000_000) + content, padded)
    for name, first, second in SAID:
        yield event(name, 0, utf8(first) + utf8(second))
    for about, name, value in [("jdk.FileRead", "enabled", "false"), ("jdk.FileWrite", "enabled", "true"), ("jdk.FileWrite", "threshold", "20 ms"),
                               ("jdk.SocketRead", "enabled", "false"), ("jdk.SocketRead", "threshold", "0 ns"), ("jdk.SocketRead", "enabled", "true"),
                               ("jdk.FileWrite", "enabled", "false")]:
        yield event("jdk.ActiveSetting", 0, leb(ID[about]) + utf8(name) + utf8(value))
    for number in range(3):
        yield event("jdk.CPUTimeSample", number, leb(3 if number == 2 else 1) + leb(1) + leb(10_000_000))
    for name, number, klass_id in [("jdk.JavaMonitorEnter", 1, 10), ("jdk.JavaMonitorWait", 2, 10), ("jdk.ThreadPark", 4, 11), ("jdk.ThreadPark", 8, 12)]:
        yield event(name, number, leb(number * 1_000_000) + leb(1) + leb(1) + leb(klass_id))


# Who worked in which sample; the last one is of a thread that has no name.
WORKED_FOR = [1, 1, 2, 0, 1]
CONTEXTS = [(1, utf8("alice") + bytes([0])), (2, utf8("bob") + utf8("a key that is called as a label"))]


def process_pools():
    threads = ("java.lang.Thread", POOLS[1][0][1] + [(3, utf8("") + leb(0) + bytes([0]) + leb(5))])
    return [POOLS[0] + [("hprof.types.Context", CONTEXTS)], [threads] + POOLS[1][1:]]


def process(program, pid, started_ms, count):
    def rows(base, padded):
        yield record(ID["jdk.JVMInformation"], leb(base) + utf8(program) + leb(started_ms) + leb(pid), padded)
        for number in range(count):
            about = WORKED_FOR[number % len(WORKED_FOR)]
            thread = 3 if number % len(WORKED_FOR) == 4 else 1
            yield record(ID["jdk.ExecutionSample"], leb(base + number * 10_000_000) + leb(thread) + leb(1 + number // 3) + leb(about), padded)
        yield record(ID["jdk.JavaMonitorEnter"], leb(base + 2_000_000) + leb(4_000_000) + leb(2) + leb(2) + leb(1) + leb(2), padded)
    return rows


def marked(base, padded):
    yield record(ID["test.Marked"], leb(base) + leb(7) + leb(9) + leb(8), padded)
    yield record(ID["jdk.Text"], leb(base + 1) + utf8("here"), padded)


def contexts(base, padded):
    def event(name, start, duration, thread, content):
        return record(ID[name], leb(base + start) + leb(duration) + leb(thread) + content, padded)
    yield event("test.Read", 0, 10, 1, leb(1))
    for number in range(2):    # a sample of each thread: the first one is within the trace and the inner order
        yield record(ID["jdk.ExecutionSample"], leb(base + 250) + leb(1 + number) + leb(1), padded)
    yield event("test.Read", 240, 20, 1, leb(2))
    yield event('test."Order', 220, 100, 1, leb(8))
    yield event("test.Read", 330, 20, 1, leb(3))
    yield event('test."Order', 210, 200, 1, leb(7))
    yield event("test.Read", 420, 20, 1, leb(4))
    yield event("test.Trace", 200, 300, 1, utf8("al\"ice") + leb(5) + leb(2) + leb(1) + leb(2))
    yield event("test.Read", 490, 20, 1, leb(5))    # begun within, ended behind


def events(base, padded):
    texts = [b"\0", b"\1", utf8("plain"), chars("\U0001F600 and \u4e2d"), latin1("\xe4"), pooled(7), pooled(8)]
    for number, text in enumerate(texts):
        yield everything(base + 10 * number, 5, number, text, padded)
    for number in range(4):
        yield record(ID["jdk.ExecutionSample"], leb(base + 3 + 20 * number) + leb(1) + leb(1 + number % 2), padded)
    yield record(ID["test.Small"], leb(base + 1), padded)
    yield record(3000, b"unknown", padded)


def nested_pools():
    return [POOLS[0], [("test.Node", [(key, leb(key + 1) * 10) for key in range(1, 41)])]]


def nested(base, padded):
    for number in range(8):
        yield record(ID["test.Nested"], leb(base + number) + leb(40 if number == 0 else 1), padded)


NAMED = [("test.Names", 13), ("TEST.names", 1), ("events", 1), ('a"; drop table "x', 1), ("test.Wide", 2100), ("other.Wide", 0), ("sqlite_master", 1),
         ("", 1)]


def names(base, padded):
    for number, (name, count) in enumerate(NAMED):
        yield record(ID[name], leb(base + number) + b"".join(leb(100 + at % 20) for at in range(count)), padded)


def question_pools():
    kept = dict(POOLS[1])
    return [POOLS[0] + [("jdk.types.GCCause", [(1, utf8("G1 Evacuation Pause")), (2, utf8("System.gc()"))]),
                        ("jdk.types.ClassLoader", [(1, leb(1) + leb(4)), (2, leb(1) + leb(0))])], list(kept.items())]


def questions(base, padded):
    ms = 1_000_000

    def event(name, at, content):
        return record(ID[name], leb(base + at * ms) + content, padded)

    def timed(name, at, length, thread, stack, content):
        return event(name, at, leb(length * ms) + leb(thread) + leb(stack) + content)
    for number, (pause, cause) in enumerate([(4, 1), (25, 1), (11, 2), (9, 1)]):
        yield event("jdk.GarbageCollection", 100 * number, leb(pause * ms) + leb(number) + utf8("G1New") + leb(cause) + leb(pause * ms) + leb(pause * ms))
        yield event("jdk.GCHeapSummary", 100 * number, leb(number) + leb(64 << 20) + leb(128 << 20) + leb(number << 20))
    for number in range(12):
        yield event("jdk.ObjectAllocationSample", 10 * number, leb(1 + number % 2) + leb(1 + number // 8) + leb(1) + leb(1000 + number))
    for number in range(20):
        yield timed("jdk.SocketRead", 20 * number, 1 + number, 1, 1, utf8("db%d" % (number % 2)) + leb(100 * number))
    for number in range(3):
        yield timed("jdk.JavaMonitorEnter", 50 * number, 10 + number, 1, 2, leb(1) + leb(2))
    for number in range(5):
        yield event("jdk.JavaExceptionThrow", 30_000 * number, leb(1) + leb(2) + leb(1))
    for number in range(6):
        yield event("jdk.ThreadCPULoad", 5_000 * number, leb(1 + number % 2) + struct.pack(">ff", 0.25, 0.125))
    for number in range(3):
        for loader in (1, 2):
            yield event("jdk.ClassLoaderStatistics", 1_000 * number, leb(loader) + leb(7000 + loader) + leb(10 + number * (loader - 1)))
    for number, user in enumerate(["alice", "bob"]):
        yield timed("acme.Request", 199 * number, 190, 1, 0, utf8(user) + utf8("/%d" % number))


def chunk(minor, base, rows=events, described=types, pools=POOLS, duration=1_000_000):
    padded = minor == 0
    body, header = bytearray(), 68
    first = checkpoint(0, pools[0], padded)
    meta = metadata(padded, described)
    where = {}

    def put(name, data):
        where[name] = header + len(body)
        body.extend(data)

    if not padded:
        put("metadata", meta)
    put("first", first)
    for event in rows(base, padded):
        put("event", event)
    put("checkpoint", checkpoint(where["first"] - (header + len(body)), pools[1], padded))
    if padded:
        put("metadata", meta)
    start_ns = 1_700_000_000_000_000_000 + base
    return b"FLR\0" + struct.pack(">HHQQQqqqqI", 2, minor, header + len(body), where["checkpoint"], where["metadata"], start_ns, duration,
                                  base, 1_000_000_000, 1 if padded else 3) + bytes(body)


def main():
    folder = os.path.dirname(os.path.abspath(sys.argv[0]))
    with open(os.path.join(folder, "small.jfr"), "wb") as file:
        file.write(chunk(1, 5000) + chunk(0, 2_000_000))
    with open(os.path.join(folder, "spans.jfr"), "wb") as file:
        file.write(chunk(1, 5000, spans))
    with open(os.path.join(folder, "times.jfr"), "wb") as file:
        file.write(chunk(1, 5000, times))
    with open(os.path.join(folder, "jvm.jfr"), "wb") as file:
        file.write(chunk(1, 5000, jvm, jvm_types, jvm_pools()) + chunk(1, 6000, times, duration=-5_000_000))
    for name, base, rows in [("build", 5000, process("lib/app.Build all", 100, 1_699_999_999_000, 5)),
                             ("worker", 900_000, process("app.Worker 7", 101, 1_699_999_999_900, 2))]:
        with open(os.path.join(folder, name + ".jfr"), "wb") as file:
            file.write(chunk(1, base, rows, process_types, process_pools(), duration=50_000_000))
    with open(os.path.join(folder, "marked.jfr"), "wb") as file:
        file.write(chunk(1, 5000, marked, marked_types))
    with open(os.path.join(folder, "contexts.jfr"), "wb") as file:
        file.write(chunk(1, 5000, contexts, context_types))
    with open(os.path.join(folder, "enters.jfr"), "wb") as file:
        file.write(chunk(1, 5000, enters, jvm_types))
    with open(os.path.join(folder, "nested.jfr"), "wb") as file:
        file.write(chunk(1, 5000, nested, nested_types, nested_pools()))
    with open(os.path.join(folder, "names.jfr"), "wb") as file:
        file.write(chunk(1, 5000, names, names_types))
    with open(os.path.join(folder, "questions.jfr"), "wb") as file:
        file.write(chunk(1, 5000, questions, question_types, question_pools(), duration=130_000_000_000))


if __name__ == "__main__":
    main()
