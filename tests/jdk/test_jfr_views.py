"""hprof jfr view: what it says of a recording, against the JDK's own tool.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import re
import subprocess

import pytest
from test_jfr_read import newest_tool, printed_json, programs, run    # noqa: F401

CHOICES = ["gc=all", "method-profiling=max", "allocation-profiling=maximum", "compiler=all", "exceptions=all", "locking-threshold=0ms",
           "class-loading=true", "memory-leaks=stack-traces"]
SETTINGS = ["jdk.ObjectCount#enabled=true", "jdk.NativeMemoryUsage#enabled=true", "jdk.ClassDefine#enabled=true", "jdk.ExecuteVMOperation#threshold=0ms",
            "jdk.SafepointBegin#threshold=0ms", "jdk.SafepointBegin#enabled=true", "jdk.SafepointEnd#enabled=true",
            "jdk.SafepointStateSynchronization#enabled=true", "jdk.Deoptimization#enabled=true", "jdk.FileRead#threshold=0ms", "jdk.FileWrite#threshold=0ms",
            "jdk.ObjectAllocationInNewTLAB#enabled=true", "jdk.ObjectAllocationOutsideTLAB#enabled=true", "jdk.AllocationRequiringGC#enabled=true",
            "jdk.ThreadSleep#threshold=0ms", "jdk.ThreadPark#threshold=0ms", "jdk.GCCPUTime#enabled=true", "jdk.SystemProcess#enabled=true",
            "jdk.JavaMonitorInflate#enabled=true", "jdk.JavaMonitorInflate#threshold=0ms", "jdk.CPULoad#period=100ms"]
# The title that the JDK's tool gives a view, its name, and our headings of its columns, in their order; None: a form, whose lines are in one order.
VIEWS = {
    "Active Recordings": ("active-recordings", "Start,Duration,Name,Destination,Maximal age,Maximal size"),
    "Active Settings": ("active-settings", "Event,Enabled,Threshold,Stack,Period,Cutoff,Throttle"),
    "Allocation by Class": ("allocation-by-class", "Class,Share"),
    "Allocation by Site": ("allocation-by-site", "Method,Share"),
    "Allocation by Thread": ("allocation-by-thread", "Thread,Share"),
    "Blocked by System.gc()": ("blocked-by-system-gc", "startTime,duration,stackTrace"),
    "Class Loaders": ("class-loaders", "Loader,Hidden,Classes"),
    "Class Modifications": ("class-modifications", "Duration,Requested by,Operation,Classes"),
    "Classes by Source": ("classes-by-source", "Source,Count"),
    "Compiler Configuration": ("compiler-configuration", None),
    "Concurrent Compiler Phases": ("compiler-phases", "Level,Phase,Average,P95,Longest,Count,Total"),
    "Compiler Statistics": ("compiler-statistics", None),
    "Container Configuration": ("container-configuration", None),
    "Container CPU Throttling": ("container-cpu-throttling", None),
    "Container CPU Usage": ("container-cpu-usage", None),
    "Container I/O Usage": ("container-io-usage", None),
    "Container Memory Usage": ("container-memory-usage", None),
    "Contention by Monitor Address": ("contention-by-address", "Address,Class,Threads,Longest"),
    "Contention by Lock Class": ("contention-by-class", "Class,Count,Average,P90,Longest"),
    "Contention by Site": ("contention-by-site", "Method,Count,Average,Longest"),
    "Contention by Thread": ("contention-by-thread", "Thread,Count,Average,P90,Longest"),
    "CPU Information": ("cpu-information", None),
    "CPU Load Statistics": ("cpu-load", None),
    "CPU Load": ("cpu-load-samples", "startTime,jvmUser,jvmSystem,machineTotal"),
    "Java Methods that Execute the Most from CPU Time Sampler": ("cpu-time-hot-methods", "Method,Samples,Share"),
    "CPU Time Sample Statistics": ("cpu-time-statistics", None),
    "CPU Time Stamp Counter": ("cpu-tsc", None),
    "Deoptimization by Reason": ("deoptimizations-by-reason", "Reason,Count"),
    "Deoptimization by Site": ("deoptimizations-by-site", "Method,Line,BCI,Count"),
    "Deprecated Methods for Removal": ("deprecated-methods-for-removal", "Method,Called from"),
    "Environment Variables": ("environment-variables", "key,value"),
    "Event Types by Count": ("events-by-count", "Event,Count"),
    "Event Types by Name": ("events-by-name", "Event,Count"),
    "Exceptions by Message": ("exception-by-message", "Message,Count"),
    "Exceptions by Site": ("exception-by-site", "Method,Count"),
    "Exceptions by Type": ("exception-by-type", "Class,Count"),
    "Exception Statistics": ("exception-count", None),
    "File Reads by Path": ("file-reads-by-path", "Path,Reads,Bytes"),
    "File Writes by Path": ("file-writes-by-path", "Path,Writes,Bytes"),
    "Finalizers": ("finalizers", "Class,Objects,Run"),
    "Garbage Collections": ("gc", "Start,ID,-,Before,After,Longest pause"),
    "GC Allocation Trigger": ("gc-allocation-trigger", "Method,Count,Requested"),
    "Concurrent GC Phases": ("gc-concurrent-phases", "Phase,Average,P95,Longest,Count,Total"),
    "GC Configuration": ("gc-configuration", None),
    "GC CPU Time": ("gc-cpu-time", None),
    "Parallel GC Phases": ("gc-parallel-phases", "Phase,Average,P95,Longest,Count,Total"),
    "GC Pause Phases": ("gc-pause-phases", "Event,Phase,Average,P95,Longest,Count,Total"),
    "GC Pauses": ("gc-pauses", None),
    "GC References": ("gc-references", "Time,ID,Soft,Weak,Phantom,Final,Total"),
    "Heap Configuration": ("heap-configuration", None),
    "Java Methods that Execute the Most": ("hot-methods", "Method,Samples,Share"),
    "JDK Agents": ("jdk-agents", "Time,Initialization,Name,Options"),
    "Command Line Flags": ("jvm-flags", "name,value"),
    "JVM Information": ("jvm-information", None),
    "Latencies by Type": ("latencies-by-type", "Event,Count,Average,P99,Longest,Total"),
    "Longest Class Loading": ("longest-class-loading", "startTime,loadedClass,duration"),
    "Longest Compilations": ("longest-compilations", "startTime,duration,method,compileLevel,succeded"),
    "Memory Leak Candidates by Class": ("memory-leaks-by-class", "Allocated,Class,Age,Heap used"),
    "Memory Leak Candidates by Site": ("memory-leaks-by-site", "Allocated,Method,Age,Heap used"),
    "Method Calls": ("method-calls", "Traced,Caller,Calls"),
    "Method Timing": ("method-timing", "Method,Calls,Shortest,Average,Longest"),
    "Modules": ("modules", "Module"),
    "Monitor Inflation": ("monitor-inflation", "Method,Class,Count,Total"),
    "Native Libraries": ("native-libraries", "Name,Base,Top"),
    "Native Library Load/Unload Failures": ("native-library-failures", "Operation,Library,Error"),
    "Native Memory Committed": ("native-memory-committed", "Type,First,Average,Last,Most"),
    "Native Memory Reserved": ("native-memory-reserved", "Type,First,Average,Last,Most"),
    "Waiting or Executing Native Methods": ("native-methods", "Method,Samples"),
    "Network Utilization": ("network-utilization", "Interface,Read average,Read most,Write average,Write most"),
    "Objects Occupying More than 1%": ("object-statistics", "Class,Count,Bytes,Increase"),
    "Pinned Virtual Threads": ("pinned-threads", "Method,Count,Longest,Total"),
    "Recording Information": ("recording", None),
    "Safepoints": ("safepoints", "Start,Duration,Synchronization,JNI critical,Threads"),
    "Socket Reads by Host": ("socket-reads-by-host", "Host,Reads,Bytes"),
    "Socket Writes by Host": ("socket-writes-by-host", "Host,Writes,Bytes"),
    "System Information": ("system-information", None),
    "System Processes": ("system-processes", "First seen,Last seen,PID,Command line"),
    "System Properties at Startup": ("system-properties", "key,value"),
    "Thread Allocation Statistics": ("thread-allocation", "Thread,Allocated,Share"),
    "Java Thread Statistics": ("thread-count", "startTime,activeCount,daemonCount,accumulatedCount,peakCount"),
    "Thread CPU Load": ("thread-cpu-load", "Thread,System,User"),
    "Platform Thread Start by Method": ("thread-start", "Start,Started by,Thread,Lived"),
    "Thread Local Allocation Buffers": ("tlabs", None),
    "VM Operations": ("vm-operations", "Operation,Average,Longest,Count,Total"),
}
LIMIT = 25
# The command lines of all processes of the machine are in a recording. One is here that no table shows as it is.
ODD = "\t\x01\x1e\x1b[31m  \n - -  \u00e9\u4e2d" + "x" * 40000
SHOWN = 1000    # of a command line, no longer than this
# Whose rows are others: the JDK's tool has one for each whole stack, or the line of one of several places. docs/format/jfr.md says why.
OTHERWISE = {"deoptimizations-by-site", "monitor-inflation", "contention-by-site"}


@pytest.fixture(scope="session")
def views(hprof, programs, tmp_path_factory):    # noqa: F811 pylint: disable=redefined-outer-name
    """views(jdk): a folder with x.jfr, a recording of all that views show, in several chunks: one ends where another recording does."""
    made = {}

    def get(jdk):
        if jdk.id not in made:
            folder = tmp_path_factory.mktemp("views")
            known = set(re.findall(r"^(\S+)", run([hprof, "jfr", "events", "--jdk", jdk.number], folder).decode(), re.M))
            new = ["+jdk.CPUTimeSample#enabled=true"] if "jdk.CPUTimeSample" in known else []
            run([hprof, "jfr", "configure", "--jdk", jdk.number, "--input", "profile", *CHOICES, *["+" + s for s in SETTINGS], *new, "-o", "all.jfc"], folder)
            beside = subprocess.Popen(["sh", "-c", "sleep 600; : '%s'" % ODD])
            try:
                run([jdk.tool("java"), "-Xmx128m", "-XX:NativeMemoryTracking=summary", "-XX:StartFlightRecording:settings=all.jfc,filename=x.jfr",
                     "-XX:StartFlightRecording:name=short,duration=1s,settings=none", "-cp", programs, "Recorded"], folder)
            finally:
                beside.kill()
                beside.wait()
            made[jdk.id] = folder
        return made[jdk.id]
    return get


def plain(cell, labels):
    """A cell as both tools mean it: ours has more of a moment and no thousands, and names events by their names."""
    cell = cell.strip()
    moment = re.fullmatch(r"(\d\d:\d\d:\d\d)(\.\d+ \(\d{4}-\d\d-\d\d\))?", cell)
    if moment:
        return moment[1]
    if cell in ("", "0 s", "Indefinite", "Forever"):    # a sum of nothing but 0 s is none to the JDK's tool
        return "N/A"
    if re.fullmatch(r"0x[0-9A-F]+", cell):
        return int(cell, 16)
    if re.fullmatch(r"-?[\d,]+", cell):    # flags that have no sign are none of the JDK's tool
        return int(cell.replace(",", "")) % 2**64
    number = re.fullmatch(r"(-?[\d,]+\.\d+)( ms| s|)", cell)
    if number:    # 15.000000 ms are 15.0 ms
        number = round(float(number[1].replace(",", "")), 6 if number[2] else 3), number[2]
        return number if number[1] or number[0] % 1 else int(number[0]) % 2**64
    return labels.get(cell, cell)


def split_views(text, titles):
    """The lines below each title, by title."""
    found = {}
    for line in text.split("\n"):    # splitlines() ends a line at "\x1e", too, which a command line may have
        title = line.strip().replace(" (Experimental)", "")
        if title in titles and title not in found:
            lines = found[title] = []
        elif found and line.strip():
            lines.append(line)
    return found


def form_of(lines):
    return [re.split(r":(?: +|$)", line, maxsplit=1)[1] for line in lines if re.search(r":( |$)", line)]


def theirs_of(lines):
    """The rows of a table of the JDK's tool, by the dashes below its head."""
    rule = next((i for i, line in enumerate(lines) if re.fullmatch("[- ]*-[- ]*", line)), None)
    spans = [dashes.span() for dashes in re.finditer("-+", lines[rule])] if rule is not None else []
    return [[line[start:end] for start, end in spans] for line in lines[rule + 1:] if len(line) > spans[-1][0]] if spans else []


def ours_of(lines, headings):
    names = re.split("  +", lines[0].strip())
    rows = [re.split("  +", line.strip(), maxsplit=len(names) - 1) for line in lines[1:] if not line.startswith("... and ")]
    assert all(len(row) == len(names) for row in rows if len(row[0]) < 60), lines
    return [[dict(zip(names, row)).get(heading, "") for heading in headings] for row in rows]


def process_rows(rows):
    """Of a table of processes, what both tools show alike: each has something else for control characters, ours cuts no line."""
    return [(*row[:-1], re.sub(r"[\x00-\x20\x7f-\x9f?]+", " ", str(row[-1]))[:SHOWN]) for row in rows if re.fullmatch(r"[\d:]+", str(row[0]))]


def counted(rows, limit_column):
    """How often there is each row. Of a table that was cut, those that are as large as the last one may be others."""
    if limit_column is not None and len(rows) == LIMIT:
        rows = [row for row in rows if row[limit_column] != rows[-1][limit_column]]
    return collections.Counter(rows)


@pytest.mark.everyday(25)
@pytest.mark.jdks(21, 25, "newest")
def test_views_are_those_of_the_newest_tool(jdk, hprof, views):    # pylint: disable=redefined-outer-name
    """The same rows with the same values; a method that the VM hides is counted for its caller here."""
    folder = views(jdk)
    types = run([hprof, "jfr", "metadata", "x.jfr"], folder).decode()
    labels = {label.replace('\\"', '"'): name for name, label in re.findall(r'@Name\("([^"]+)"\)\n(?:@(?!Name).*\n)*?@Label\("(.+)"\)\n', types)}
    said = run([*newest_tool(), "view", "--width", "30000", "--cell-height", "1", "--truncate", "end", "all-views", "x.jfr"], folder).decode()
    theirs = split_views(said, VIEWS)
    same = 0
    for title, (name, headings) in VIEWS.items():
        ours = [line for line in run([hprof, "jfr", "view", name, "x.jfr"], folder, None).decode().splitlines()[1:] if line]
        lines = theirs.get(title, [])
        if name == "recording":    # likewise
            continue
        if headings is None:
            wanted, made = form_of(lines), form_of(ours)[:len(form_of(lines))]
            assert [plain(cell, {}) for cell in made] == [plain(cell, {}) for cell in wanted], name
            same += wanted != []
            continue
        headings = headings.split(",")
        wanted, made = ([tuple(plain(cell, labels) for cell, heading in zip(row, headings) if heading != "-") for row in rows]
                        for rows in (theirs_of(lines), ours_of(ours, headings) if ours else []))
        place = next((i for i, heading in enumerate(headings) if heading in ("Share", "Samples", "duration")), None)
        if any(re.search(r"\$\$Lambda|java\.lang\.invoke\.", str(row)) for row in wanted):
            continue
        if "Event" in headings:    # the JDK's tool does not know types of events that the first chunk has not
            wanted, made = ([row for row in rows if row[headings.index("Event")].startswith("jdk.")] for rows in (wanted, made))
        if name in OTHERWISE:
            wanted, made = (sum(row[headings.index("Count")] for row in rows) for rows in (wanted, made))
            assert made == wanted, name
            continue
        if name == "system-processes":
            wanted, made = process_rows(wanted), process_rows(made)
            assert any("sleep 600" in row[-1] for row in made) or jdk.number >= 27    # which says no arguments of others
        if "Thread" in headings:    # virtual ones without a name are one row here
            wanted, made = ([row for row in rows if row[headings.index("Thread")] != "N/A"] for rows in (wanted, made))
        wanted, made = counted(wanted, place), counted(made, place)
        assert made == wanted, (name, made - wanted, wanted - made)
        same += bool(wanted)
    assert same > 40


@pytest.mark.everyday(25)
@pytest.mark.jdks(21, 25, "newest")
def test_moments_of_later_chunks_are_those_of_the_newest_tool(jdk, hprof, views):    # pylint: disable=redefined-outer-name
    """To the nanosecond, though each chunk has read the wall clock anew: the tool goes by that of the first one."""
    folder = views(jdk)
    assert int(re.search(rb"Chunks: (\d+)", run([hprof, "jfr", "summary", "x.jfr"], folder))[1]) > 1
    names = "jdk.GC*,jdk.Safepoint*,jdk.Thread*,jdk.ActiveSetting,test.*,tracer.*"
    assert run([hprof, "jfr", "print", "--json", "--events", names, "x.jfr"], folder) == printed_json(folder, "--events", names)
