"""What others may have made for us: links out of their root, folders under names of ours, files that cost more than they have.

SPDX-License-Identifier: Apache-2.0
"""
import contextlib
import mmap
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import zlib

import pytest

from asking import ask, nobodys_java
from conftest import old_and_new, one_jdk, wait_until
from robust import classes  # noqa: F401


@contextlib.contextmanager
def pretender(root, libjvm, size=0):
    """A process below `root` that maps a file libjvm.so as code; its number."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.chroot(root)
            os.chdir("/")
            signal.signal(signal.SIGQUIT, lambda number, frame: None)
            with open(libjvm, "rb") as file:
                _ = mmap.mmap(file.fileno(), size, prot=mmap.PROT_READ | mmap.PROT_EXEC, flags=mmap.MAP_PRIVATE)
            os.write(writer, b"1")
            signal.pause()
        finally:
            os._exit(1)
    os.close(writer)
    try:
        assert os.read(reader, 1) == b"1"
        yield pid
    finally:
        os.close(reader)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


@one_jdk
@pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
def test_links_lead_nowhere_out_of_the_processs_root(jdk, hprof, tmp_path):
    """`release` tells the version; a link there is followed below the process's root, not in ours."""
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "jdk/lib/server").mkdir(parents=True)
    (root / "jdk/lib/server/libjvm.so").write_bytes(b"\x7fELF" + bytes(4096))
    outside.write_text('JAVA_VERSION="of the host"\n')
    release = root / "jdk/release"
    with pretender(root, "/jdk/lib/server/libjvm.so") as pid:
        for target in (outside, "../" * 20 + str(outside)[1:], "/proc/%d/root%s" % (os.getpid(), outside)):
            release.symlink_to(target)
            assert "of the host" not in ask(hprof, "ps")[0], target
            release.unlink()
        os.mkfifo(release)
        assert str(pid) in ask(hprof, "ps")[0]
        release.unlink()
        (root / "inside").write_text('JAVA_VERSION="of the process"\n')
        release.symlink_to("/inside")
        assert "of the process" in ask(hprof, "ps")[0]


@old_and_new
def test_a_folder_that_another_user_made_first_keeps_nobody_from_working(jdk, hprof, classes, tmp_path):
    """.hprof-UID in /tmp and its likes can be made by everybody: then another name does."""
    alone = shutil.copy(hprof, tmp_path / "hprof")  # which has no library beside it
    with nobodys_java(jdk, classes, tmp_path) as pid:
        root = pathlib.Path("/proc/%d/root" % pid)
        uid = os.stat("/proc/%d" % pid).st_uid
        taken = [root / folder / (".hprof-%d" % uid) for folder in ("tmp", "var/tmp", "dev/shm")]
        made = []
        try:
            for path in taken:
                with contextlib.suppress(FileExistsError, FileNotFoundError):
                    path.mkdir(mode=0o700)
                    made.append(path)
                    os.chown(path, 12345, 12345)
            assert taken[0] in made
            for name in ("one.txt", "two.txt"):
                ask(alone, "record", "-d", "100ms", "-o", tmp_path / name, pid)
                assert (tmp_path / name).exists()
            found = [path.name for path in (root / "tmp").glob(".hprof-%d-*" % uid)]
            assert len(found) == 1, found
        finally:
            for path in made:
                path.rmdir()


def leb(number):
    """As both JFR files and Protocol Buffers have small numbers."""
    out = b""
    while number >= 128:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def field(number, data):
    """A field of a message."""
    return leb(number << 3 | 2) + leb(len(data)) + data if isinstance(data, bytes) else leb(number << 3) + leb(data)


def judged(hprof, *args, memory=resource.RLIM_INFINITY):
    """What the command says, which refuses its file; it gets so many bytes of address space."""
    ended = subprocess.run([hprof, *map(str, args)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (memory, memory)))
    assert ended.returncode == 1, ended.stderr
    return ended.stderr


def test_a_location_of_a_profile_has_no_fields_without_end(hprof, tmp_path):
    """Each sample passes over them anew."""
    path = tmp_path / "x.pb"
    types = field(1, field(1, 1) + field(2, 2))
    samples = field(2, field(1, leb(1) * 1000) + field(2, leb(1)))
    place = field(4, field(1, 1) + (leb(9 << 3) + b"\1") * 100000 + field(4, field(1, 1) + field(2, 7)))
    names = field(5, field(1, 1) + field(2, 3)) + b"".join(field(6, text) for text in (b"", b"samples", b"count", b"f"))
    path.write_bytes(types + samples + place + names)
    assert "a location of more than" in judged(hprof, "report", path)


def repeated(kind):
    """A profile whose samples say few bytes that mean much, and stand before it."""
    types, texts = field(1, field(1, 1) + field(2, 2)), [b"", b"samples", b"count", b"f"]
    function, line, mappings = field(5, field(1, 1) + field(2, 3)), field(4, field(1, 1)), b""
    stack, labels, count = b"\1", b"", 200000
    if kind == "lines":
        stack, count, line = b"\1" * 60, 30000, line * 1000
    elif kind == "fields":
        stack, count, line = b"\1" * 10, 50000, field(4, field(1, 1) + b"\x48\1" * 500000)
    elif kind == "label":
        labels, texts = field(3, field(1, 4) + field(2, 5)), texts + [b"thread", b"a" * 1000000]
    else:
        stack, count, texts = b"\1\2" * 100, 5000, texts[:3] + [b"a.b" * 300000 + b".c", b"[a", b"[b"]
        mappings = field(3, field(1, 1) + field(5, 4)) + field(3, field(1, 2) + field(5, 5)) + field(4, field(1, 2) + field(2, 2) + line)
    samples = field(2, field(1, stack) + field(2, b"\1") + labels) * count
    return types + samples + mappings + field(4, field(1, 1) + field(2, 1) + line) + function + b"".join(field(6, text) for text in texts)


@pytest.mark.parametrize("kind", ["lines", "fields", "label", "mappings"])
def test_what_samples_of_a_profile_refer_to_has_a_bound(hprof, tmp_path, kind):
    """A location of 1,000 lines, or a text of a megabyte, is named again and again in a byte or two."""
    path = tmp_path / "x.pb"
    path.write_bytes(repeated(kind))
    assert "again and again" in bounded(hprof, "report", path, status=1, cpu_s=10)[1]


def test_the_types_of_a_recording_take_no_memory_without_end(hprof, tmp_path):
    """An element is three bytes in the file and some forty here."""
    count = 3000000
    texts = [b"root"]
    body = leb(0) + leb(0) + leb(count) + b"\0\0\0" * count
    content = leb(1) + leb(0) + leb(1) + leb(len(texts)) + b"".join(b"\3" + leb(len(text)) + text for text in texts) + body
    size = 5 + 1 + len(content)
    record = bytes(size >> 7 * i & 127 | (128 if i < 4 else 0) for i in range(5)) + b"\0" + content
    header = b"FLR\0" + struct.pack(">HHQQQqqqqBBBB", 2, 1, 68 + len(record), 0, 68, 10**18, 1, 1, 10**9, 0, 0, 0, 2)
    path = tmp_path / "x.jfr"
    path.write_bytes(header + record)
    assert "the metadata of the chunk are damaged" in judged(hprof, "jfr", "summary", path, memory=100 << 20)


class Types:
    """The types of a recording, whose texts are numbered as they come."""
    def __init__(self):
        self.texts = {}

    def text(self, text):
        return self.texts.setdefault(text, leb(len(self.texts)))

    def element(self, name, attributes, *children):
        pairs = b"".join(self.text(key) + self.text(str(value)) for key, value in attributes.items())
        return self.text(name) + leb(len(attributes)) + pairs + leb(len(children)) + b"".join(children)

    def field(self, name, type_id, **attributes):
        return self.element("field", {"name": name, "class": type_id, **attributes})

    def type(self, type_id, name, *fields, **attributes):
        return self.element("class", {"id": type_id, "name": name, **attributes}, *fields)


def utf8(text):
    return b"\3" + leb(len(text)) + text.encode()


def record(type_id, payload):
    content = leb(type_id) + payload
    size = 5 + len(content)
    return bytes(size >> 7 * i & 127 | (128 if i < 4 else 0) for i in range(5)) + content


def jfr(types, made, events, constants=b"", pools=0, size=0):
    """A recording of one chunk; `size` is what it says that it has."""
    root = types.element("root", {}, types.element("metadata", {}, *made))
    body = record(0, leb(1) + leb(0) + leb(1) + leb(len(types.texts)) + b"".join(map(utf8, types.texts)) + root) + events
    checkpoint = record(1, leb(1) + leb(0) + leb(0) + b"\1" + leb(pools) + constants) if pools else b""
    at = 68 + len(body) if pools else 0
    total = size or 68 + len(body) + len(checkpoint)
    return b"FLR\0" + struct.pack(">HHQQQqqqqBBBB", 2, 1, total, at, 68, 10**18, 1, 1, 10**9, 0, 0, 0, 2) + body + checkpoint


EVENT = {"superType": "jdk.jfr.Event"}
LONG, TEXT, THREAD, FIRST = 25, 28, 30, 1000


def basic(types):
    return [types.type(LONG, "long"), types.type(TEXT, "java.lang.String")]


def bounded(hprof, *args, status=0, cpu_s=20, memory_mb=300):
    """What the command says, whose work and memory have a bound: it would take many times as much if either grew by the square."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as said:
        child = subprocess.Popen([hprof, *map(str, args)], stdout=out, stderr=said,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s)))
        _, ended, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(ended)
        out.seek(0)
        said.seek(0)
        found = out.read(), said.read()
    assert child.returncode == status and used.ru_maxrss < memory_mb << 10, (child.returncode, used.ru_maxrss, found[1])
    return found


def test_a_constant_with_a_long_array_is_passed_over_once(hprof, tmp_path):
    """Each of many events asks for what lies behind the array: that was looked for anew, 400 GB in all."""
    types, events, elements = Types(), 200000, 2000000
    made = basic(types) + [
        types.type(THREAD, "java.lang.Thread", types.field("pad", LONG, dimension=1), types.field("osName", TEXT), types.field("osThreadId", LONG),
                   types.field("javaName", TEXT), types.field("javaThreadId", LONG)),
        types.type(FIRST, "x.Y", types.field("eventThread", THREAD, constantPool="true"), **EVENT)]
    threads = leb(THREAD) + leb(2) + leb(1) + leb(elements) + b"\1" * elements + utf8("os") + leb(7) + utf8("far") + leb(8)
    threads += leb(2) + leb(0) + utf8("os") + leb(9) + utf8("near") + leb(10)
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, record(FIRST, leb(1)) * events + record(FIRST, leb(2)), threads, 1))
    out, _ = bounded(hprof, "jfr", "print", path)
    assert out.count('eventThread = "far" (javaThreadId = 8)') == events and out.count('eventThread = "near" (javaThreadId = 10)') == 1


def threads_of(types):
    return types.type(THREAD, "java.lang.Thread", types.field("osName", TEXT), types.field("osThreadId", LONG), types.field("javaName", TEXT),
                      types.field("javaThreadId", LONG))


def spans_of(types, type_id, name, *fields):
    return types.type(type_id, name, types.field("startTime", LONG), types.field("duration", LONG), types.field("eventThread", THREAD, constantPool="true"),
                      *fields, **EVENT)


def contextual(types, class_id):
    """A field c that says something of the events around, and the type of what says so."""
    return types.element("field", {"name": "c", "class": class_id}, types.element("annotation", {"class": 60}))


CONTEXTUAL = {"superType": "java.lang.annotation.Annotation"}
ONE_THREAD = leb(THREAD) + leb(1) + leb(1) + utf8("t") + leb(1) + utf8("t") + leb(1)


def test_a_hundred_thousand_contexts_within_each_other(hprof, tmp_path):
    """For each event those around it were looked for among all that had begun."""
    types, count = Types(), 100000
    made = basic(types) + [types.type(60, "jdk.jfr.Contextual", **CONTEXTUAL), threads_of(types), spans_of(types, FIRST, "x.Y"),
                           spans_of(types, FIRST + 1, "x.C", contextual(types, LONG))]
    within = b"".join(record(FIRST + 1, leb(10 + i) + leb(2 * (count - i) + 5) + leb(1) + leb(i)) for i in range(count))
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, within + record(FIRST, leb(2 * count) + leb(1) + leb(1)) * count, ONE_THREAD, 1))
    out, _ = bounded(hprof, "jfr", "print", "--json", "--context", path, cpu_s=8)
    assert out.count('"type": "x.Y"') == count and out.count('"c": 14\n') >= count


def test_the_texts_of_contexts_take_no_memory_without_end(hprof, tmp_path):
    """Each of 30,000 contexts names one text of a megabyte."""
    types = Types()
    made = basic(types) + [types.type(60, "jdk.jfr.Contextual", **CONTEXTUAL), threads_of(types), spans_of(types, FIRST, "x.C", contextual(types, TEXT))]
    within = b"".join(record(FIRST, leb(10 + i) + leb(3) + leb(1) + b"\2\1") for i in range(30000))
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, within, ONE_THREAD + leb(TEXT) + leb(1) + leb(1) + utf8("a" * 1000000), 2))
    assert "without --context the events are shown" in bounded(hprof, "jfr", "print", "--json", "--context", path, status=1)[1]


def test_keys_that_differ_in_their_high_bits_alone(hprof, tmp_path):
    """65,000 of them had two places in the table of constants."""
    types, count, events = Types(), 65000, 300000
    made = basic(types) + [threads_of(types), types.type(FIRST, "x.Y", types.field("startTime", LONG), types.field("eventThread", THREAD, constantPool="true"), **EVENT)]
    keys = [b"\x80" * 6 + bytes([(i & 1) << 6 | 128, i >> 1 & 127 | 128, i >> 8]) for i in range(count)]
    constants = leb(THREAD) + leb(count) + b"".join(key + utf8("t") + leb(i) + utf8("t") + leb(i) for i, key in enumerate(keys))
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, b"".join(record(FIRST, leb(5) + keys[i % count]) for i in range(events)), constants, 1))
    out, _ = bounded(hprof, "jfr", "print", path, cpu_s=8)
    assert out.count("javaThreadId = 64999)") == 4, out[:500]


def test_frames_that_are_hidden_cost_what_shown_ones_do(hprof, tmp_path):
    """Each of 200,000 samples looks for a frame that is none of half a million hidden ones."""
    types, frames = Types(), 500000
    boolean, integer, symbol, klass, method, frame, stack = range(40, 47)
    made = basic(types) + [
        types.type(boolean, "boolean"), types.type(integer, "int"), types.type(symbol, "jdk.types.Symbol", types.field("string", TEXT), simpleType="true"),
        types.type(klass, "java.lang.Class", types.field("name", symbol, constantPool="true")),
        types.type(method, "jdk.types.Method", types.field("type", klass, constantPool="true"), types.field("name", symbol, constantPool="true"), types.field("hidden", boolean)),
        types.type(frame, "jdk.types.StackFrame", types.field("method", method, constantPool="true"), types.field("lineNumber", integer)),
        types.type(stack, "jdk.types.StackTrace", types.field("truncated", boolean), types.field("frames", frame, dimension=1)),
        types.type(FIRST, "x.Y", types.field("startTime", LONG), types.field("stackTrace", stack, constantPool="true"), **EVENT)]
    constants = leb(symbol) + leb(1) + leb(1) + utf8("m") + leb(klass) + leb(1) + leb(1) + leb(1) + leb(method) + leb(1) + leb(1) + leb(1) + leb(1) + b"\1"
    constants += leb(stack) + leb(1) + leb(1) + b"\0" + leb(frames) + b"\1\5" * frames
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, record(FIRST, leb(5) + leb(1)) * 200000, constants, 4))
    assert "the output ends within the event at offset" in bounded(hprof, "jfr", "print", path, status=1)[1]


def test_a_field_among_many_is_found(hprof, tmp_path):
    """Types of many fields are searched in the order of their names; of two of one name the first one counts."""
    types = Types()
    made = basic(types) + [types.type(THREAD, "java.lang.Thread", types.field("javaName", TEXT), types.field("javaThreadId", LONG)),
                           types.type(FIRST, "x.Y", *[types.field("f%d" % i, LONG) for i in range(40)],
                                      types.field("eventThread", THREAD, constantPool="true"), types.field("eventThread", LONG),
                                      *[types.field("event%d" % i, LONG) for i in range(40)], **EVENT)]
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, record(FIRST, b"\5" * 40 + leb(1) + leb(9) + b"\6" * 40), leb(THREAD) + leb(1) + leb(1) + utf8("t") + leb(3), 1))
    out, _ = bounded(hprof, "jfr", "print", path)
    assert out.count('eventThread = "t" (javaThreadId = 3)') == 1 and out.count(" = 5\n") == out.count(" = 6\n") == 40, out


def test_thousands_of_event_types_are_found_by_their_names(hprof, tmp_path):
    """The 17,198th of 30,000 finds no room; each was compared with all before it."""
    types, count = Types(), 30000
    made = basic(types) + [types.type(FIRST + i, "x.T%d" % i, types.field("startTime", LONG), **EVENT) for i in range(count)]
    path = tmp_path / "x.jfr"
    path.write_bytes(jfr(types, made, b"".join(record(FIRST + i, leb(5)) for i in range(count))))
    assert bounded(hprof, "jfr", "summary", path)[0].count("\n x.T") == count
    assert " events found no room" in bounded(hprof, "report", "-o", tmp_path / "x.firefox.json", path, status=1, cpu_s=3)[1]


@pytest.mark.parametrize("suffix", ["pb", "speedscope.json", "firefox.json"])
def test_a_process_knows_how_many_before_it_have_its_number(hprof, tmp_path, suffix):
    """160,000 of a profile had each the number of all before it counted."""
    count, path = 160000, tmp_path / "x.pb"
    labels = b"".join(field(2, field(1, leb(1)) + field(2, leb(1)) + field(3, field(1, 4) + field(3, i % 80000 + 1)) + field(3, field(1, 5) + field(3, i // 80000 + 1)))
                      for i in range(count))
    path.write_bytes(field(1, field(1, 1) + field(2, 2)) + labels + field(4, field(1, 1) + field(4, field(1, 1) + field(2, 7))) +
                     field(5, field(1, 1) + field(2, 3)) + b"".join(field(6, text) for text in (b"", b"samples", b"count", b"f", b"pid", b"process_start")))
    bounded(hprof, "report", "-o", tmp_path / ("y." + suffix), path)
    assert (tmp_path / ("y." + suffix)).stat().st_size > count


@pytest.mark.parametrize("kind", ["jfr", "hprof", "collapsed"])
def test_a_packed_file_is_not_unpacked_for_a_length_that_it_claims(hprof, tmp_path, kind):
    """A gigabyte of zeros is a megabyte packed."""
    begins = {"jfr": jfr(Types(), [], b"", size=1 << 40), "collapsed": b"a;b 1\n",
              "hprof": b"JAVA PROFILE 1.0.2\0" + struct.pack(">IQBII", 8, 1, 1, 0, 0xfffffff0)}
    packer, path = zlib.compressobj(9, zlib.DEFLATED, 31), tmp_path / ("x.%s.gz" % kind)
    with path.open("wb") as file:
        file.write(packer.compress(begins[kind]))
        for _ in range(1024):
            file.write(packer.compress(bytes(1 << 20)))
        file.write(packer.flush())
    said = bounded(hprof, "report", path, status=1)[1]
    told = {"jfr": "damaged|missing|cannot be read", "hprof": "a hundred times as long as all that was packed", "collapsed": "a line of more than 64 MB"}
    assert re.search(told[kind], said), said


def sparse_library(path):
    """A libjvm.so whose table of symbols and whose texts have a quarter of a terabyte, of nothing."""
    size, places = 1 << 38, ((0, 0, 0, 0), (2, 1 << 20, 2, 24), (3, 1 << 20, 0, 0))
    with path.open("wb") as file:
        file.write(b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 4096, 0, 64, 56, 1, 64, 3, 0))
        file.write(struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, 8192, 8192, 4096))
        file.seek(4096)
        for kind, offset, link, entry in places:
            file.write(struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size if kind else 0, link, 0, 8, entry))
        file.truncate((1 << 20) + size)


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
def test_a_library_that_is_longer_than_it_is_large(hprof, tmp_path):
    """Its owner has a process map it: whoever looks at that one would count a quarter of a terabyte."""
    sparse_library(tmp_path / "libjvm.so")
    with pretender(tmp_path, "/libjvm.so", 8192) as pid:
        for words in (["stack"], ["flags", "--outside"], ["props", "--outside"]):
            said = bounded(hprof, *words, pid, status=1, cpu_s=5)[1]
            assert "gHotSpotVMStructs" in said, said


@old_and_new
def test_a_recording_that_is_longer_than_it_is_large_is_not_copied(jdk, hprof, classes, tmp_path):
    """Who owns the JVM may make its file as long as he wants: that costs him nothing, and us a disk. (A .jfr is cut by the agent at its end.)"""
    with nobodys_java(jdk, classes, tmp_path) as pid:
        child = subprocess.Popen([hprof, "record", "-d", "2s", "-o", str(tmp_path / "x.txt"), str(pid)], stderr=subprocess.PIPE, text=True)
        recording = []

        def has_recording():
            for path in pathlib.Path("/proc/%d/fd" % pid).iterdir():
                with contextlib.suppress(FileNotFoundError):  # the JVM closes files meanwhile
                    if re.fullmatch(r"/tmp/#\d+ \(deleted\)", os.readlink(path)):
                        recording.append(path)
            return recording
        wait_until(has_recording, "recording", lambda: child.poll() is not None)
        with open(recording[0], "r+b") as file:
            file.truncate(1 << 40)
        try:
            said = child.communicate(timeout=60)[1]
        finally:
            child.kill()
        assert child.returncode == 1 and not (tmp_path / "x.txt").exists(), said
