"""Reads java.hprof.txt by its grammar, and checks what must hold in every such file.

Written from the layout that the original agent's recordings show, and run on those recordings too (test_golden.py), so
that it stands beside the project's own reader and does not know it. A line that fits nowhere is an error.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import re

DATE = (r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
        r"[ \d]\d \d\d:\d\d:\d\d \d{4}")
FIRST_LINE = re.compile(r"JAVA PROFILE 1\.0\.1, created " + DATE)
START = re.compile(r'THREAD START \(obj=([0-9a-f]+), id = (\d+), name="(.*)", group="(.*)"\)')
END = re.compile(r"THREAD END \(id = (\d+)\)")
TRACE = re.compile(r"TRACE (\d+):(?: \(thread=(\d+)\))?")
FRAME = re.compile(r"\t(\S.*)\.([^.(]+)\((.*):(\d+|Unknown line)\)")
TABLE = re.compile(r"CPU SAMPLES BEGIN \(total = (\d+)\) " + DATE)
COLUMNS = "rank   self  accum   count trace method"
ROW = re.compile(r" *(\d+) +(\d+\.\d\d)% +(\d+\.\d\d)% +(\d+) +(\d+) (\S.*)")
TABLE_END = "CPU SAMPLES END"
FIRST_THREAD, FIRST_TRACE = 200001, 300000

ThreadStart = collections.namedtuple("ThreadStart", "object serial name group")
ThreadEnd = collections.namedtuple("ThreadEnd", "serial")
Trace = collections.namedtuple("Trace", "serial thread frames")
Frame = collections.namedtuple("Frame", "klass method source line")
Row = collections.namedtuple("Row", "rank self accum count trace method")
Table = collections.namedtuple("Table", "total has_columns rows")


class NotHprof(Exception):
    """A line that the grammar does not have."""


class Lines:
    """The lines of a file, one at a time, with their numbers."""

    def __init__(self, text):
        if not text.endswith("\n"):
            raise NotHprof("no newline at the end of the file")
        self.lines = text.split("\n")[:-1]
        self.at = 0

    def peek(self):
        return self.lines[self.at] if self.at < len(self.lines) else None

    def next(self):
        line = self.peek()
        self.at += 1
        return line

    def match(self, pattern):
        """Consumes the line if it is all `pattern`."""
        line = self.peek()
        found = None if line is None else pattern.fullmatch(line)
        if found:
            self.at += 1
        return found

    def expect(self, ok, what):
        if not ok:
            raise NotHprof("line %d: expected %s, found %r" % (self.at + 1, what, self.peek()))


class Text:
    """A parsed file: `prologue` (list of lines), `records` in order."""

    def __init__(self, text):
        lines = Lines(text)
        lines.expect(lines.match(FIRST_LINE), "JAVA PROFILE 1.0.1, created DATE")
        lines.expect(lines.next() == "", "an empty line")
        self.prologue = []
        while lines.peek() != "--------":
            lines.expect(lines.peek() is not None, "the line of dashes")
            self.prologue.append(lines.next())
        lines.next()
        lines.expect(lines.next() == "", "an empty line after the dashes")
        self.records = []
        while lines.peek() is not None:
            self.records.append(read_record(lines))

    def of(self, kind):
        return [record for record in self.records if isinstance(record, kind)]

    @property
    def tables(self):
        return self.of(Table)

    @property
    def traces(self):
        return {trace.serial: trace for trace in self.of(Trace)}

    @property
    def threads(self):
        return {thread.serial: thread for thread in self.of(ThreadStart)}

    def quality(self):
        """The counts of the prologue, {} before the first table."""
        return {found.group(1): int(found.group(2)) for found in
                (re.fullmatch(r"  (\w+) = (\d+)(?: \(.*\))? *", line) for line in self.prologue) if found}

    def by_method(self, table=-1):
        """{method: count} of one table."""
        counts = collections.Counter()
        for row in self.tables[table].rows:
            counts[row.method] += row.count
        return counts

    def with_method(self, method, table=-1):
        """The count of the traces with `method` anywhere in them."""
        return sum(row.count for row in self.tables[table].rows
                   if any("%s.%s" % frame[:2] == method for frame in self.traces[row.trace].frames))

    def shape(self):
        """What comes after what, without the THREAD lines (their order is the scheduler's) and repeats."""
        kinds = []
        for record in self.records:
            kind = type(record).__name__
            if kind in ("Trace", "Table") and (kind == "Table" or kinds[-1:] != [kind]):
                kinds.append(kind)
        return kinds


def read_record(lines):
    found = lines.match(START)
    if found:
        return ThreadStart(found.group(1), int(found.group(2)), found.group(3), found.group(4))
    found = lines.match(END)
    if found:
        return ThreadEnd(int(found.group(1)))
    found = lines.match(TRACE)
    if found:
        return read_trace(lines, found)
    found = lines.match(TABLE)
    lines.expect(found, "a record")
    return read_table(lines, int(found.group(1)))


def read_trace(lines, found):
    frames = []
    while True:
        frame = lines.match(FRAME)
        if not frame:
            break
        line = None if frame.group(4) == "Unknown line" else int(frame.group(4))
        frames.append(Frame(frame.group(1), frame.group(2), frame.group(3), line))
    if not frames:
        lines.expect(lines.next() == "\t<empty>", "a frame or <empty>")
    return Trace(int(found.group(1)), int(found.group(2)) if found.group(2) else None, tuple(frames))


def read_table(lines, total):
    has_columns, rows = lines.peek() == COLUMNS, []
    if has_columns:
        lines.next()
    while lines.peek() != TABLE_END:
        line = lines.peek()
        found = lines.match(ROW)
        lines.expect(found, "a row of the table")
        row = Row(int(found.group(1)), float(found.group(2)), float(found.group(3)), int(found.group(4)),
                  int(found.group(5)), found.group(6))
        if line != "%4d %5.2f%% %5.2f%% %7d %5d %s" % row:
            raise NotHprof("line %d: a row with other columns: %r" % (lines.at, line))
        rows.append(row)
    lines.next()
    return Table(total, has_columns, rows)


def check(text, depth=4, cutoff=0.0001, threads=False, lines=True):
    """Asserts what holds in every file of cpu=samples; the arguments are the options it was made with."""
    known, started = {}, set()
    new = []
    for record in text.records:
        if isinstance(record, ThreadStart):
            assert record.serial >= FIRST_THREAD
            assert record.serial not in started, "thread serial %d twice" % record.serial
            started.add(record.serial)
        elif isinstance(record, Trace):
            assert record.serial not in known, "TRACE %d printed twice" % record.serial
            check_trace(record, depth, threads, lines)
            known[record.serial] = record
            new.append(record.serial)
        elif isinstance(record, Table):
            check_table(record, known, cutoff)
            shown = [row.trace for row in record.rows]
            assert new == [serial for serial in shown if serial in new], "TRACE blocks not in the table's order"
            new = []
    assert not new, "TRACE blocks without a table after them"


def check_trace(trace, depth, threads, lines):
    assert trace.serial >= FIRST_TRACE
    assert 1 <= len(trace.frames) <= depth
    assert (trace.thread is not None) == threads
    assert lines or all(frame.line is None for frame in trace.frames)


def check_table(table, known, cutoff):
    counts = [row.count for row in table.rows]
    assert table.has_columns == bool(table.rows)
    assert [row.rank for row in table.rows] == list(range(1, len(counts) + 1))
    assert counts == sorted(counts, reverse=True)
    assert all(count > 0 and count / table.total >= cutoff for count in counts)
    # What the table leaves out is in rows below the cutoff, each of at least one sample.
    assert sum(counts) == table.total if cutoff * table.total <= 1 else sum(counts) <= table.total
    so_far = 0
    for row in table.rows:
        so_far += row.count
        assert abs(row.self - 100 * row.count / table.total) <= 0.0051
        assert abs(row.accum - 100 * so_far / table.total) <= 0.011
        assert row.trace in known, "no TRACE %d before the table" % row.trace
        top = known[row.trace].frames[0]
        assert row.method == "%s.%s" % (top.klass, top.method)
