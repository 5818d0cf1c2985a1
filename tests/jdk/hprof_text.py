"""Reads java.hprof.txt by its grammar, and checks what must hold in every such file.

Written from the layout that the original agent's recordings show, and run on those recordings too (test_golden.py), so
that it stands beside the project's own reader and does not know it. A line that fits nowhere is an error.
SPDX-License-Identifier: Apache-2.0
"""
import collections
import functools
import re

DATE = (r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) "
        r"[ \d]\d \d\d:\d\d:\d\d \d{4}")
FIRST_LINE = re.compile(r"JAVA PROFILE 1\.0\.1, created " + DATE)
START = re.compile(r'THREAD START \(obj=([0-9a-f]+), id = (\d+), name="(.*)", group="(.*)"\)')
END = re.compile(r"THREAD END \(id = (\d+)\)")
TRACE = re.compile(r"TRACE (\d+):(?: \(thread=(\d+)\))?")
FRAME = re.compile(r"\t(\S.*)\.([^.(]+)\((.*):(\d+|Unknown line)\)")
TABLE = re.compile(r"(CPU SAMPLES|CPU TIME \(ms\)) BEGIN \(total = (\d+)\) " + DATE)
WAITING = re.compile(r"(WAITING|UNFINISHED WAITS) \(ms\) BEGIN \(total = (\d+)\) " + DATE)
UNFINISHED = re.compile(r"UNFINISHED CALLS \(ms\) BEGIN \(total = (\d+)\) " + DATE)
RAW = re.compile(r"CPU TIME RAW \(us\) BEGIN \(taken off each call: (\d+\.\d) ns inside, (\d+\.\d) ns outside\)")
EXACT = re.compile(r"EXACT (CPU TIME|UNFINISHED CALLS|WAITING|UNFINISHED WAITS|MONITOR TIME) \(ns\) BEGIN \(total = (\d+)\)")
EXACT_ROW = re.compile(r" *(\d+) (\d+)")
RAW_COLUMNS = " rank            raw      corrected   count trace method"
RAW_ROW = re.compile(r" *(\d+) +(\d+) +(\d+) +(\d+) +(\d+) (\S.*)")
RAW_ALL = re.compile(r"  all +(\d+) +(\d+)")
EVENTS_ROW = re.compile(r" *\d+ +[\d.]+% +[\d.]+% (.+)")
COLUMNS = "rank   self  accum   count trace method"
ROW = re.compile(r" *(\d+) +(\d+\.\d\d)% +(\d+\.\d\d)% +(\d+) +(\d+) (\S.*)")
SITES = re.compile(r"SITES BEGIN \(ordered by (live|allocated) bytes\) " + DATE)
SITES_COLUMNS = ["          percent          live          alloc'ed  stack class",
                 " rank   self  accum     bytes objs     bytes  objs trace name"]
SITE = re.compile(r" *(\d+) +(\d+\.\d\d)% +(\d+\.\d\d)% +(\d+) +(\d+) +(\d+) +(\d+) +(\d+) (\S.*)")
SITES_ERRORS = re.compile(r"SITES ERRORS BEGIN \(one standard error, sample = (\d+)\)")
SITES_ERRORS_COLUMNS = " rank     live bytes      objs   alloc'ed bytes      objs"
SITES_ERROR = re.compile(r" *(\d+|all) +(\d+) +(\d+) +(\d+) +(\d+)")
WAIT = re.compile(r"WAIT: MONITOR (\S+), timeout=(\d+), (?:thread (\d+)|<unknown thread>)")
WAITED = re.compile(r"WAITED: MONITOR (\S+), time_waited=(\d+), (?:thread (\d+)|<unknown thread>)")
STATUS = re.compile(r"    THREAD (\d+), trace (\d+), status: ((?:S\||intr\||native\|)*(?:ZO|NS|SL|MW|CW|R|UN))")
MONITOR = re.compile(r"    MONITOR (\S+?)( unowned)?")
OWNER = re.compile(r"\towner: (?:thread (\d+)|<unknown thread>), entry count: (\d+)")
WAITERS = re.compile(r"\twaiting to (?:enter|be notified):((?: thread \d+)(?:, thread \d+)*)?")
MONITOR_TIME = re.compile(r"MONITOR TIME BEGIN \(total = (\d+) ms\) " + DATE)
MONITOR_COLUMNS = "rank   self  accum   count trace monitor"
HEAP = re.compile(r"HEAP DUMP BEGIN \((\d+) objects, (\d+) bytes\) " + DATE)
HEAP_LINES = [re.compile(line) for line in (
    r"ROOT [0-9a-f]+ \(kind=<thread>, id=\d+, trace=\d+\)",
    r"ROOT [0-9a-f]+ \(kind=<thread block>, thread=\d+\)",
    r"ROOT [0-9a-f]+ \(kind=<(?:Java stack|JNI local ref)>, thread=\d+, frame=-?\d+\)",
    r"ROOT [0-9a-f]+ \(kind=<JNI global ref>, id=[0-9a-f]+, trace=\d+\)",
    r"ROOT [0-9a-f]+ \(kind=<system class>, name=\S.*\)",
    r"ROOT [0-9a-f]+ \(kind=<(?:native stack|busy monitor|unknown)>\)",
    r"OBJ [0-9a-f]+ \(sz=\d+, trace=\d+, class=\S+@[0-9a-f]+\)",
    r"ARR [0-9a-f]+ \(sz=\d+, trace=\d+, nelems=\d+, elem type=\S+\[\](?:@[0-9a-f]+)?\)",
    r"CLS [0-9a-f]+ \(name=\S+, trace=\d+\)",
    r"\t\[\d+\]\t\t[0-9a-f]+",
    r"\tconstant pool entry \d+\t[0-9a-f]+",
    r"\t(?:static )?\S+\t\t?[0-9a-f]+",
)]
OLD_COLUMNS = "count callee caller time"
OLD_ROW = re.compile(r"(\d+) (<unknown callee>|\S+\(\S*\)\S+) (<unknown caller>|\S+\(\S*\)\S+) (\d+)")
FIRST_THREAD, FIRST_TRACE = 200001, 300000

ThreadStart = collections.namedtuple("ThreadStart", "object serial name group")
ThreadEnd = collections.namedtuple("ThreadEnd", "serial")
Trace = collections.namedtuple("Trace", "serial thread frames")
Frame = collections.namedtuple("Frame", "klass method source line")
Row = collections.namedtuple("Row", "rank self accum count trace method")
Table = collections.namedtuple("Table", "total has_columns rows title")
Unfinished = collections.namedtuple("Unfinished", "total has_columns rows")
Waiting = collections.namedtuple("Waiting", "total has_columns rows is_unfinished")
Exact = collections.namedtuple("Exact", "title total rows")
Events = collections.namedtuple("Events", "kind rows")
Raw = collections.namedtuple("Raw", "inside outside rows raw corrected")
RawRow = collections.namedtuple("RawRow", "rank raw corrected count trace method")
Sites = collections.namedtuple("Sites", "order rows")
Site = collections.namedtuple("Site", "rank self accum live_bytes live_objects bytes objects trace klass")
SitesErrors = collections.namedtuple("SitesErrors", "interval rows total")
SiteError = collections.namedtuple("SiteError", "live_bytes live_objects bytes objects")
NotTimed = collections.namedtuple("NotTimed", "methods")
Wait = collections.namedtuple("Wait", "monitor timeout thread")
Waited = collections.namedtuple("Waited", "monitor waited thread")
MonitorDump = collections.namedtuple("MonitorDump", "threads monitors")
Monitor = collections.namedtuple("Monitor", "klass owner entries enter notify")
MonitorTime = collections.namedtuple("MonitorTime", "total has_columns rows")
Heap = collections.namedtuple("Heap", "objects bytes lines")
OldRow = collections.namedtuple("OldRow", "count callee caller time")


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
    """A parsed file: `prologue` (list of lines), `records` in order, the `exact` times before tables.

    `tables` are those of its records that are a Table; `traces` and `threads` are records by serial.
    """

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
        self.records, self.exact = [], []
        while lines.peek() is not None:
            record = read_record(lines)
            if isinstance(record, Exact):
                self.exact.append(record)
                record = read_record(lines)
                check_exact(self.exact[-1], record)
            self.records.append(record)
        self.tables = self.of(Table)
        self.traces = {trace.serial: trace for trace in self.of(Trace)}
        self.threads = {thread.serial: thread for thread in self.of(ThreadStart)}

    def of(self, kind):
        return [record for record in self.records if isinstance(record, kind)]

    @property
    def calls(self):
        """The tables of all calls: those that ended, and those that had not at the last dump."""
        at_end = [record for record in self.records if isinstance(record, (Table, Unfinished))]
        return self.tables + [record for record in at_end[-1:] if isinstance(record, Unfinished)]

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

    def titled(self, title):
        return [table for table in self.tables if table.title == title]

    def with_method(self, method, table=-1):
        """The count of the traces with `method` anywhere in them."""
        return sum(row.count for row in self.tables[table].rows
                   if any("%s.%s" % frame[:2] == method for frame in self.traces[row.trace].frames))

    def shape(self):
        """What comes after what, without the THREAD lines (their order is the scheduler's) and repeats."""
        kinds = []
        for record in self.records:
            kind = type(record).__name__
            if isinstance(record, DUMPED) and (kind != "Trace" or kinds[-1:] != [kind]):
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
    for pattern, read in RECORDS:
        found = lines.match(pattern)
        if found:
            return read(lines, found)
    return lines.expect(False, "a record")


@functools.lru_cache(maxsize=1 << 14)
def frame_of(line):
    """The frame that a line is, or None. A file has few such lines, each of them thousands of times."""
    found = FRAME.fullmatch(line)
    return found and Frame(*found.group(1, 2, 3), None if found.group(4) == "Unknown line" else int(found.group(4)))


def read_trace(lines, found):
    first = lines.at
    while lines.at < len(lines.lines) and frame_of(lines.lines[lines.at]):
        lines.at += 1
    frames = tuple(map(frame_of, lines.lines[first:lines.at]))
    if not frames:
        lines.expect(lines.next() == "\t<empty>", "a frame or <empty>")
    return Trace(int(found.group(1)), int(found.group(2)) if found.group(2) else None, frames)


def read_rows(lines, columns, end):
    """The rows of a ranked table, and whether the column titles stand above them."""
    has_columns, rows = lines.peek() == columns, []
    if has_columns:
        lines.next()
    while lines.peek() != end:
        line = lines.peek()
        found = lines.match(ROW)
        lines.expect(found, "a row of the table")
        row = Row(int(found.group(1)), float(found.group(2)), float(found.group(3)), int(found.group(4)),
                  int(found.group(5)), found.group(6))
        if line != "%4d %5.2f%% %5.2f%% %7d %5d %s" % row:
            raise NotHprof("line %d: a row with other columns: %r" % (lines.at, line))
        rows.append(row)
    lines.next()
    return has_columns, rows


def read_table(lines, found):
    has_columns, rows = read_rows(lines, COLUMNS, found.group(1) + " END")
    return Table(int(found.group(2)), has_columns, rows, found.group(1))


def read_unfinished(lines, found):
    """The table behind CPU TIME that the original does not have: calls that have not ended."""
    return Unfinished(int(found.group(1)), *read_rows(lines, COLUMNS, "UNFINISHED CALLS (ms) END"))


def read_waiting(lines, found):
    """Calls of methods that do nothing but wait."""
    return Waiting(int(found.group(2)), *read_rows(lines, COLUMNS, found.group(1) + " (ms) END"), found.group(1) != "WAITING")


def read_exact(lines, found):
    """The block before a table of times that the original does not have: the times of its rows in ns."""
    rows = []
    while lines.peek() != "EXACT %s (ns) END" % found.group(1):
        row = lines.match(EXACT_ROW)
        lines.expect(row and int(row.group(1)) == len(rows) + 1, "the next row of exact times")
        rows.append(int(row.group(2)))
    lines.next()
    return Exact(found.group(1), int(found.group(2)), rows)


def read_events(lines, found):
    """A table of events of a kind that the original does not have: {(trace, class, text): values}."""
    lines.expect(lines.next().startswith(" rank "), "the columns of EVENTS")
    rows, count = {}, found.group(2).count("=")
    while True:
        row = lines.match(EVENTS_ROW)
        if not row:
            break
        words = row.group(1).split(" ", count + 2)
        rows[(int(words[count]), *words[count + 1:])] = tuple(int(word) for word in words[:count])
    lines.expect(lines.next() == "EVENTS %s END" % found.group(1), "the end of EVENTS")
    return Events(found.group(1), rows)


def check_exact(exact, table):
    """The table behind says the same in shares of a total in ms."""
    assert table.total == (exact.total + 500000) // 1000000
    assert len(table.rows) == len(exact.rows)
    assert exact.rows == sorted(exact.rows, reverse=True)
    for row, ns in zip(table.rows, exact.rows):
        assert abs(row.self - 100 * ns / max(exact.total, 1)) <= 0.0051


def read_raw(lines, found):
    """The table of raw=y: the times of the rows before, uncorrected and corrected, and the sums of all."""
    lines.expect(lines.next() == RAW_COLUMNS, "the columns of CPU TIME RAW")
    rows = []
    while True:
        row = lines.match(RAW_ROW)
        if not row:
            break
        rows.append(RawRow(*(int(row.group(i)) for i in range(1, 6)), row.group(6)))
    total = lines.match(RAW_ALL)
    lines.expect(total, "the sums of CPU TIME RAW")
    lines.expect(lines.next() == "CPU TIME RAW (us) END", "the end of CPU TIME RAW")
    return Raw(float(found.group(1)), float(found.group(2)), rows, int(total.group(1)), int(total.group(2)))


def read_not_timed(lines, found):
    """The block behind CPU TIME that the original does not have: reasons, and the methods of each."""
    methods, reason = {}, None
    while lines.peek() != "NOT TIMED END":
        line = lines.next()
        if line.startswith("\t"):
            lines.expect(reason, "a reason before a method")
            methods.setdefault(reason, []).append(line[1:])
        else:
            lines.expect(line.startswith("  ") and line.endswith(":"), "a reason")
            reason = line[2:-1]
    lines.next()
    lines.expect(sum(map(len, methods.values())) == int(found.group(1)), "as many methods as were announced")
    return NotTimed(methods)


def read_sites(lines, found):
    for title in SITES_COLUMNS:
        lines.expect(lines.next() == title, "the columns of SITES")
    rows = []
    while lines.peek() != "SITES END":
        line = lines.peek()
        row = lines.match(SITE)
        lines.expect(row, "a row of SITES")
        values = [int(row.group(1)), float(row.group(2)), float(row.group(3))]
        rows.append(Site(*values, *(int(row.group(i)) for i in range(4, 9)), row.group(9)))
        if line != "%5d %5.2f%% %5.2f%% %9d %4d %9d %5d %5d %s" % rows[-1]:
            raise NotHprof("line %d: a row with other columns: %r" % (lines.at, line))
    lines.next()
    return Sites(found.group(1), rows)


def read_sites_errors(lines, found):
    """The table that follows one of estimates, which the original does not have."""
    lines.expect(lines.next() == SITES_ERRORS_COLUMNS, "the columns of SITES ERRORS")
    rows, total = [], None
    while lines.peek() != "SITES ERRORS END":
        row = lines.match(SITES_ERROR)
        lines.expect(row and not total, "a row of SITES ERRORS")
        error = SiteError(*(int(row.group(i)) for i in range(2, 6)))
        if row.group(1) == "all":
            total = error
        else:
            rows.append(error)
            lines.expect(int(row.group(1)) == len(rows), "the rank of a row of SITES")
    lines.next()
    return SitesErrors(int(found.group(1)), rows, total)


def read_waiters(lines):
    found = lines.match(WAITERS)
    lines.expect(found, "the threads that wait")
    return tuple(int(serial) for serial in re.findall(r"\d+", found.group(1) or ""))


def read_monitor_dump(lines, _):
    threads, monitors = {}, []
    while True:
        found = lines.match(STATUS)
        if not found:
            break
        threads[int(found.group(1))] = int(found.group(2)), found.group(3)
    while lines.peek() != "MONITOR DUMP END":
        found = lines.match(MONITOR)
        lines.expect(found, "a monitor")
        owner = None if found.group(2) else lines.match(OWNER)
        lines.expect(owner or found.group(2), "the monitor's owner")
        serial = int(owner.group(1)) if owner and owner.group(1) else None
        monitors.append(Monitor(found.group(1), serial, int(owner.group(2)) if owner else 0,
                                read_waiters(lines), read_waiters(lines)))
    lines.next()
    return MonitorDump(threads, monitors)


def read_monitor_time(lines, found):
    return MonitorTime(int(found.group(1)), *read_rows(lines, MONITOR_COLUMNS, "MONITOR TIME END"))


def read_heap(lines, found):
    start = lines.at
    while lines.peek() != "HEAP DUMP END":
        lines.expect(any(lines.match(line) for line in HEAP_LINES), "a line of the heap dump")
    lines.next()
    return Heap(int(found.group(1)), int(found.group(2)), lines.lines[start:lines.at - 1])


def serial_or_none(found, group):
    return int(found.group(group)) if found.group(group) else None


RECORDS = (
    (re.compile(r"EVENTS (\S+) BEGIN \(([^)]+)\) .+"), read_events),
    (TABLE, read_table),
    (UNFINISHED, read_unfinished),
    (WAITING, read_waiting),
    (EXACT, read_exact),
    (RAW, read_raw),
    (re.compile(r"NOT TIMED BEGIN \(methods = (\d+)\)"), read_not_timed),
    (SITES, read_sites),
    (SITES_ERRORS, read_sites_errors),
    (WAIT, lambda lines, found: Wait(found.group(1), int(found.group(2)), serial_or_none(found, 3))),
    (WAITED, lambda lines, found: Waited(found.group(1), int(found.group(2)), serial_or_none(found, 3))),
    (re.compile("MONITOR DUMP BEGIN"), read_monitor_dump),
    (MONITOR_TIME, read_monitor_time),
    (HEAP, read_heap),
)
DUMPED = (Trace, Table, Unfinished, Waiting, NotTimed, Sites, MonitorDump, MonitorTime, Heap)


def us_of(table, words=""):
    """{method: us} of the rows of a table of times whose method begins with these words."""
    found = collections.Counter()
    for row in table.rows:
        if row.method.startswith(words):
            found[row.method] += row.self / 100 * table.total * 1000
    return found


def called_ms(text, table, program):
    """{method of the program: ms of what it called} of a table of times."""
    ms = collections.Counter()
    for row in table.rows:
        callers = [frame.method for frame in text.traces[row.trace].frames if frame.klass.startswith(program)]
        if callers:
            ms[callers[0]] += row.self / 100 * table.total
    return ms


def read_old(text):
    """The tables of a file of cpu=old, which has nothing else in it: lists of rows."""
    lines, tables = Lines(text), []
    while lines.peek() is not None:
        if lines.peek() == OLD_COLUMNS:
            lines.next()
            tables.append([])
        found = lines.match(OLD_ROW) if tables else None
        lines.expect(found or lines.peek() in (OLD_COLUMNS, None), "a row of cpu=old")
        if found:
            tables[-1].append(OldRow(int(found.group(1)), found.group(2), found.group(3), int(found.group(4))))
    return tables


def check(text, depth=4, cutoff=0.0001, threads=False, lines=True, all_traces=False):
    """Asserts what holds in every file; the arguments are the options it was made with.

    `all_traces`: heap= or monitor=y is on, so that every trace is printed, in the order of serials.
    """
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
        elif isinstance(record, DUMPED):
            check_dumped(record, known, cutoff)
            if all_traces:
                assert new == sorted(new), "TRACE blocks not in the order of serials"
            elif isinstance(record, (Table, Unfinished, Waiting)):
                unseen = set(new)
                assert new == [row.trace for row in record.rows if row.trace in unseen], "TRACE blocks not in the table's order"
            new = []
    assert not new, "TRACE blocks without a table after them"


def check_dumped(record, known, cutoff):
    if isinstance(record, Table):
        check_table(record, known, cutoff)
    elif isinstance(record, (Unfinished, Waiting)):
        check_rows(record, known)
    elif isinstance(record, Sites):
        check_sites(record, known, cutoff)
    elif isinstance(record, MonitorDump):
        assert {trace for trace, _ in record.threads.values()} <= set(known)
    elif isinstance(record, MonitorTime):
        check_ranks(record)
        assert {row.trace for row in record.rows} <= set(known)


def check_trace(trace, depth, threads, lines):
    assert trace.serial >= FIRST_TRACE
    assert len(trace.frames) <= depth
    assert trace.frames or depth == 0 or trace.serial == FIRST_TRACE or threads
    assert (trace.thread is not None) == threads
    assert lines or all(frame.line is None for frame in trace.frames)


def check_ranks(table):
    assert table.has_columns == bool(table.rows)
    assert [row.rank for row in table.rows] == list(range(1, len(table.rows) + 1))
    assert sorted(table.rows, key=lambda row: -row.self) == table.rows
    so_far = 0
    for row in table.rows:
        so_far += row.self
        assert abs(row.accum - so_far) <= 0.0051 * (row.rank + 1)


def check_sites(sites, known, cutoff):
    live = [row.live_bytes for row in sites.rows]
    assert [row.rank for row in sites.rows] == list(range(1, len(live) + 1))
    key = live if sites.order == "live" else [row.bytes for row in sites.rows]
    assert key == sorted(key, reverse=True)
    so_far = 0
    for row in sites.rows:
        assert row.trace in known
        assert row.live_bytes <= row.bytes and row.live_objects <= row.objects, row
        so_far += row.self
        assert abs(row.accum - so_far) <= 0.0051 * (row.rank + 1)
        assert sites.order != "live" or row.self >= 100 * cutoff - 0.0051


def check_rows(table, known):
    for row in table.rows:
        assert row.trace in known, "no TRACE %d before the table" % row.trace
        top = known[row.trace].frames[:1]
        assert row.method == ("%s.%s" % top[0][:2] if top else "<empty trace>")
    check_ranks(table)


def check_table(table, known, cutoff):
    counts = [row.count for row in table.rows]
    check_rows(table, known)
    if table.title != "CPU SAMPLES":
        return # counts are calls there, and the order is that of times
    assert counts == sorted(counts, reverse=True)
    assert all(count > 0 and count / table.total >= cutoff for count in counts)
    # What the table leaves out is in rows below the cutoff, each of at least one sample.
    assert sum(counts) == table.total if cutoff * table.total <= 1 else sum(counts) <= table.total
    so_far = 0
    for row in table.rows:
        so_far += row.count
        assert abs(row.self - 100 * row.count / table.total) <= 0.0051
        assert abs(row.accum - 100 * so_far / table.total) <= 0.011
