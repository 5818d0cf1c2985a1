"""The recordings of the original agent, and what our messages add to its own: shared by the golden tests.

SPDX-License-Identifier: Apache-2.0
"""
import gzip
import json
import pathlib
import re

LIST = pathlib.Path(__file__).resolve().parents[2] / "docs/hprof-compat.md"
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
RUNS = json.loads((DATA / "golden-corpus/runs.json").read_text(encoding="utf-8"))
DUMPED = "Dumping CPU usage by sampling running threads ... done.\n"
# One line after each dump: a listed difference, docs/hprof-compat.md.
QUALITY = re.compile(r"HPROF: cpu=samples by \w+: (?:no samples|\d+ samples? of [\d.]+ ms, [\d.]+% with their stack)\n")
# What later JDKs print where JDK 8 prints nothing or something else, agent or not.
VM_SAYS = re.compile(r"Caused by: java\.lang\.ClassNotFoundException: \w+\n")
# On stdout, when Agent_OnLoad returns an error; the original calls exit(1) itself. Listed.
VM_ENDS = re.compile(r"Error occurred during initialization of VM\nagent library failed (to init|Agent_OnLoad): .*\n")


def listed(difference):
    """Asserts that docs/hprof-compat.md has a row of that name. A test that expects a difference calls it."""
    rows = LIST.read_text(encoding="utf-8").splitlines()
    assert any(row.startswith("| %s |" % difference) for row in rows), "not in %s: %s" % (LIST.name, difference)


def recorded(case):
    """The profile files of a case: {name: bytes}."""
    return {path.name.removesuffix(".gz"): gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            for path in (DATA / "hprof-golden" / case).iterdir()}


def recorded_text(case):
    content, = recorded(case).values()
    return content.decode("utf-8", "surrogateescape")


def as_original(stderr, sampled=True):
    """stderr without what only ours prints; it must print that: one quality line behind each dump."""
    assert len(QUALITY.findall(stderr)) == (stderr.count(DUMPED) if sampled else 0), stderr
    return VM_SAYS.sub("", QUALITY.sub("", stderr))


def without_pid(names, pid):
    return sorted(name.replace(".%s" % pid, ".PID") for name in names)


def recorded_names(case):
    return sorted(re.sub(r"\.\d{4,}", ".PID", name) for name in RUNS[case]["files"])


def check_run(case, java, ended, sampled=True):
    """Status, stdout, stderr and file names are the recorded ones."""
    run = RUNS[case]
    assert ended.rc == run["rc"], ended.stderr
    assert ended.stdout == run["stdout"]
    assert as_original(ended.stderr, sampled) == run["stderr"]
    assert without_pid(ended.files, java.pid) == recorded_names(case)
