"""Writes heap dumps of graphs that a test thinks out, with any names: HPROF 1.0.2, ids of 8 bytes.

Made from docs/format/hprof-binary.md, and not from the code of any writer.
SPDX-License-Identifier: Apache-2.0
"""
import struct

OBJECT, BOOLEAN, CHAR, INT, BYTE = 2, 4, 5, 10, 8
LETTERS = {OBJECT: "Q", BOOLEAN: "B", CHAR: "H", INT: "i", BYTE: "b"}
SIZES = {OBJECT: 4, BOOLEAN: 1, CHAR: 2, INT: 4, BYTE: 1}    # in the heap, where references are compressed
SEGMENT = 1 << 20


class HeapFile:
    """Classes are made first; each object gets its id, its address, when it is made. `java.lang.Object`, `Class`, `String` and `Thread` are there."""

    def __init__(self, path):
        self.out = open(path, "wb")    # pylint: disable=consider-using-with
        self.out.write(b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQ", 8, 1700000000000))
        self.names, self.serial, self.body, self.next_id = {}, 0, [], 0x10000
        self.layouts, self.sizes = {}, {}
        self.object = self.klass("java/lang/Object", 0)
        self.klass("java/lang/Class")
        self.string_class = self.klass("java/lang/String", fields=[("value", OBJECT), ("coder", BYTE)])
        self.thread_class = self.klass("java/lang/Thread", fields=[("name", OBJECT)])

    def record(self, tag, body):
        self.out.write(struct.pack(">BII", tag, 0, len(body)) + body)

    def name(self, text):
        if text not in self.names:
            self.names[text] = 0x100 + len(self.names)
            self.record(0x01, struct.pack(">Q", self.names[text]) + text.encode())
        return self.names[text]

    def put(self, body):
        self.body.append(body)
        if sum(map(len, self.body[-1000:])) > SEGMENT or len(self.body) > 20000:
            self.flush()

    def flush(self):
        if self.body:
            self.record(0x1C, b"".join(self.body))
            self.body = []

    def take_id(self, size):
        made = self.next_id
        self.next_id += (size + 7) // 8 * 8
        return made

    def klass(self, name, super_class=None, fields=(), statics=()):
        """fields: (name, type); statics: (name, type, value)."""
        made, self.serial = self.take_id(96), self.serial + 1
        super_class = self.object if super_class is None else super_class
        self.record(0x02, struct.pack(">IQIQ", self.serial, made, 0, self.name(name)))
        body = struct.pack(">BQIQQQQQQI", 0x20, made, 0, super_class, 0, 0, 0, 0, 0, 16) + struct.pack(">HH", 0, len(statics))
        for text, kind, value in statics:
            body += struct.pack(">QB" + LETTERS[kind], self.name(text), kind, value)
        body += struct.pack(">H", len(fields))
        for text, kind in fields:
            body += struct.pack(">QB", self.name(text), kind)
        self.layouts[made] = ">" + "".join(LETTERS[kind] for _, kind in fields)
        self.sizes[made] = 12 + sum(SIZES[kind] for _, kind in fields)
        self.put(body)
        return made

    def instance(self, klass, *values):
        made, data = self.take_id(self.sizes[klass]), struct.pack(self.layouts[klass], *values)
        self.put(struct.pack(">BQIQI", 0x21, made, 0, klass, len(data)) + data)
        return made

    def array(self, klass, items):
        made = self.take_id(16 + 4 * len(items))
        self.put(struct.pack(">BQIIQ", 0x22, made, 0, len(items), klass) + struct.pack(">%dQ" % len(items), *items))
        return made

    def bytes(self, data):
        made = self.take_id(16 + len(data))
        self.put(struct.pack(">BQIIB", 0x23, made, 0, len(data), BYTE) + data)
        return made

    def string(self, text):
        return self.instance(self.string_class, self.bytes(text.encode("latin-1")), 0)

    def root(self, made):
        """A global reference of JNI."""
        self.put(struct.pack(">BQQ", 0x01, made, 0))

    def sticky(self, klass):
        self.put(struct.pack(">BQ", 0x05, klass))

    def thread(self, name, serial):
        made = self.instance(self.thread_class, self.string(name))
        self.put(struct.pack(">BQII", 0x08, made, serial, serial))
        return made

    def end(self):
        self.flush()
        self.record(0x2C, b"")
        self.out.close()
