"""Reads a binary java.hprof (cpu=samples) record by record, and checks what must hold in every such file.

An independent reader, made from the format's description; it is run on the original agent's recordings as well.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import struct

UTF8, LOAD_CLASS, UNLOAD_CLASS, FRAME, TRACE, ALLOC_SITES, HEAP_SUMMARY = range(1, 8)
START_THREAD, END_THREAD, CPU_SAMPLES, CONTROL_SETTINGS = 0x0A, 0x0B, 0x0D, 0x0E
CONTROL_ALLOC_TRACES, CONTROL_CPU_SAMPLES = 1, 2
NO_LINE = -1

Record = collections.namedtuple("Record", "tag us body")
Class = collections.namedtuple("Class", "serial object trace name")
Frame = collections.namedtuple("Frame", "method descriptor source class_serial line")
Trace = collections.namedtuple("Trace", "serial thread frames")
Thread = collections.namedtuple("Thread", "serial object trace name group parent")


def records_of(data):
    """The head (version, size of ids, ms) and the list of records of a file's bytes."""
    end = data.index(b"\0")
    id_bytes, ms = struct.unpack_from(">IQ", data, end + 1)
    at, records = end + 13, []
    while at < len(data):
        tag, us, length = struct.unpack_from(">BII", data, at)
        body = data[at + 9:at + 9 + length]
        assert len(body) == length, "a record ends behind the file's end"
        records.append(Record(tag, us, body))
        at += 9 + length
    return data[:end].decode("ascii"), id_bytes, ms, records


class Binary:
    """A parsed file. Reading asserts that whatever a record refers to came before it."""

    def __init__(self, data):
        self.version, id_bytes, self.ms, self.records = records_of(data)
        assert id_bytes == 4
        self.strings, self.classes, self.frames, self.traces = {0: None}, {}, {}, {}
        self.threads, self.ended, self.tables, self.settings = {}, [], [], []
        self.sites, self.summaries, self.unloaded = [], [], set()
        readers = {UTF8: self.utf8, LOAD_CLASS: self.load_class, UNLOAD_CLASS: self.unload_class, FRAME: self.frame, TRACE: self.trace,
                   START_THREAD: self.start_thread, END_THREAD: self.end_thread, CPU_SAMPLES: self.cpu_samples,
                   CONTROL_SETTINGS: self.control_settings, ALLOC_SITES: self.alloc_sites,
                   HEAP_SUMMARY: self.heap_summary}
        for record in self.records:
            readers[record.tag](record.body)

    def utf8(self, body):
        number, = struct.unpack_from(">I", body)
        assert number not in self.strings, "string %x twice" % number
        self.strings[number] = body[4:].decode("utf-8", "surrogateescape")

    def load_class(self, body):
        serial, object_id, trace, name = struct.unpack(">IIII", body)
        assert serial not in self.classes, "class serial %d twice" % serial
        self.classes[serial] = Class(serial, object_id, trace, self.strings[name])

    def unload_class(self, body):
        serial, = struct.unpack(">I", body)
        assert serial in self.classes and serial not in self.unloaded, "class serial %d is not loaded" % serial
        self.unloaded.add(serial)

    def frame(self, body):
        number, name, descriptor, source, class_serial, line = struct.unpack(">IIIIIi", body)
        assert number not in self.frames, "frame %x twice" % number
        assert class_serial in self.classes, "frame of an unknown class %d" % class_serial
        self.frames[number] = Frame(self.strings[name], self.strings[descriptor], self.strings[source], class_serial,
                                    line)

    def trace(self, body):
        serial, thread, count = struct.unpack_from(">III", body)
        assert serial not in self.traces, "trace %d twice" % serial
        ids = struct.unpack_from(">%dI" % count, body, 12)
        assert len(body) == 12 + 4 * count
        self.traces[serial] = Trace(serial, thread, [self.frames[number] for number in ids])

    def start_thread(self, body):
        serial, object_id, trace, name, group, parent = struct.unpack(">IIIIII", body)
        assert serial not in self.threads, "thread serial %d twice" % serial
        self.threads[serial] = Thread(serial, object_id, trace, self.strings[name], self.strings[group],
                                      self.strings[parent])

    def end_thread(self, body):
        serial, = struct.unpack(">I", body)
        self.ended.append(serial)

    def cpu_samples(self, body):
        total, count = struct.unpack_from(">II", body)
        assert len(body) == 8 + 8 * count
        rows = [struct.unpack_from(">II", body, 8 + 8 * i) for i in range(count)]
        for _, trace in rows:
            assert trace in self.traces, "no TRACE %d before the table" % trace
        self.tables.append((total, rows))

    def alloc_sites(self, body):
        count, = struct.unpack_from(">I", body, 30)
        assert len(body) == 34 + 25 * count
        rows = [struct.unpack_from(">BIIIIII", body, 34 + 25 * i) for i in range(count)]
        for _, klass, trace, *_ in rows:
            assert klass in self.classes and trace in self.traces
        self.sites.append(rows)

    def heap_summary(self, body):
        self.summaries.append(struct.unpack(">IIQQ", body))

    def control_settings(self, body):
        self.settings.append(struct.unpack(">IH", body))

    def method_of(self, frame):
        return "%s.%s" % (self.classes[frame.class_serial].name, frame.method)

    def by_method(self, table=-1):
        counts = collections.Counter()
        for count, trace in self.tables[table][1]:
            counts[self.method_of(self.traces[trace].frames[0])] += count
        return counts


def check(binary, depth=4, settings=CONTROL_CPU_SAMPLES):
    """Asserts what holds in every file of cpu=samples,format=b."""
    assert binary.records[0].tag == CONTROL_SETTINGS
    assert binary.settings == [(settings, depth)]
    least = 0 if settings & CONTROL_ALLOC_TRACES else 1    # what the VM makes by itself has no frames
    assert all(least <= len(trace.frames) <= depth for trace in binary.traces.values())
    assert min(binary.threads) == 200001 and binary.threads[200001].name == "main"
    assert min(binary.classes) == 100000
    assert min(binary.traces, default=300000) >= 300000
    for total, rows in binary.tables:
        counts = [count for count, _ in rows]
        assert counts == sorted(counts, reverse=True) and sum(counts) == total and 0 not in counts
    times = [record.us for record in binary.records]
    assert times == sorted(times)
