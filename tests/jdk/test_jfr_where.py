"""hprof jfr view --where: what a condition takes is what one takes by hand of the events that print shows.

SPDX-License-Identifier: Apache-2.0
"""
import datetime
import json
import re
from decimal import Decimal

import pytest
from conftest import one_jdk
from test_jfr_read import programs, run    # noqa: F401

SETTINGS = ["jdk.FileRead#threshold=0ms", "jdk.FileRead#enabled=true", "jdk.ThreadPark#threshold=0ms", "jdk.CPULoad#period=50ms"]


def seconds(text):
    """"PT1.5S" as a number; None where there is no span."""
    found = re.fullmatch(r"(-?)PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?[\d.]+)S)?", text or "")
    return found and sum(Decimal(part or 0) * factor for part, factor in zip(found.groups()[1:], (3600, 60, 1))) * (-1 if found[1] else 1)


def at(number):
    return lambda value: Decimal(str(value)) >= number if value is not None else False


def lasts(bound):
    return lambda value: seconds(value) is not None and seconds(value) >= Decimal(bound)


# Event, field, and for each way to write a condition what is asked of the field's value in JSON.
CONDITIONS = [
    ("jdk.FileRead", "duration", [(">=0.1ms", lasts("0.0001")), (">=100 us", lasts("0.0001")), (">=100000", lasts("0.0001")), (">=0.00001s", lasts("0.00001"))]),
    ("jdk.FileRead", "bytesRead", [(">=1kB", at(1024)), (">=1KiB", at(1024)), (">=1.5k", at(1536)), (">=100 bytes", at(100))]),
    ("jdk.ThreadPark", "duration", [(">=1 ms", lasts("0.001")), (">=1m 0.5s", lasts("60.5")), (">=0.0001min", lasts("0.006"))]),
    ("test.Everything", "millis", [(">=1 m 3 s", lasts("63")), (">=0.01h", lasts("36")), (">=-1s", lasts("-1"))]),
    ("test.Everything", "bytes", [(">=1MB", at(1 << 20)), (">=2.5 GB", at(5 << 29)), (">=1TB", at(1 << 40))]),
    ("test.Everything", "bits", [(">=1 kbit", at(1 << 10)), (">=3Mbit", at(3 << 20))]),
    ("test.Everything", "hertz", [(">=20 Hz", at(20)), (">=0.02kHz", at(20))]),
    ("test.Everything", "rate", [(">=10 kB/s", at(10240)), (">=9999 bytes/s", at(9999))]),
    ("test.Everything", "percent", [(">=12.5%", at(Decimal("0.125"))), (">=0.25", at(Decimal("0.25")))]),
    ("test.Everything", "i", [(">=-1", at(-1)), (">=1.5", at(Decimal("1.5")))]),
    ("jdk.CPULoad", "machineTotal", [(">=50%", at(Decimal("0.5"))), (">=5 %", at(Decimal("0.05")))]),
]


@pytest.fixture(scope="session")
def recording(programs, tmp_path_factory):    # noqa: F811 pylint: disable=redefined-outer-name
    folders = {}

    def record(jdk):
        if jdk.id not in folders:
            folder = tmp_path_factory.mktemp("where")
            settings = ",".join(["settings=profile"] + SETTINGS) if jdk.number >= 17 else "settings=profile"
            run([jdk.tool("java"), "-XX:StartFlightRecording=%s,filename=x.jfr" % settings, "-cp", programs, "Recorded"], folder)
            folders[jdk.id] = folder
        return folders[jdk.id]
    return record


def counted(hprof, folder, event, *conditions):
    """How many events of the type a view with these conditions takes."""
    options = [word for condition in conditions for word in ("--where", condition)]
    said = run([hprof, "jfr", "view", event, "--group-by", "event", *options, "x.jfr"], folder, None).decode()
    found = re.search(r"^ *(\d+) +100\.00%%  %s$" % re.escape(event), said, re.M)
    return int(found[1]) if found else 0


@one_jdk
@pytest.mark.jdks(17, 25)
def test_units_are_those_of_the_tables(jdk, hprof, recording):    # pylint: disable=redefined-outer-name
    folder, seen = recording(jdk), set()
    events = json.loads(run([hprof, "jfr", "print", "--json", "x.jfr"], folder))["recording"]["events"]
    for event, field, conditions in CONDITIONS:
        values = [one["values"].get(field) for one in events if one["type"] == event]
        assert values, event
        for condition, fits in conditions:
            wanted = sum(bool(fits(value)) for value in values)
            assert counted(hprof, folder, event, field + condition) == wanted, (event, field, condition)
            seen.add(0 < wanted < len(values))
    assert True in seen


@one_jdk
@pytest.mark.jdks(17, 25)
def test_moments_and_several_conditions(jdk, hprof, recording):    # pylint: disable=redefined-outer-name
    folder = recording(jdk)
    events = [one["values"] for one in json.loads(run([hprof, "jfr", "print", "--json", "--events", "test.Everything", "x.jfr"], folder))["recording"]["events"]]
    starts = sorted(event["startTime"] for event in events)
    middle = starts[len(starts) // 2]
    moment = datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", middle))
    # To the millisecond, for which a moment is cut: as many as begin then or later.
    cut = moment.replace(microsecond=moment.microsecond // 1000 * 1000)
    wanted = sum(datetime.datetime.fromisoformat(re.sub(r"(\.\d{6})\d*", r"\1", start)) >= cut for start in starts)
    for text in (cut.isoformat(timespec="milliseconds"), cut.strftime("%H:%M:%S.") + "%03d (%s)" % (cut.microsecond // 1000, cut.date())):
        assert counted(hprof, folder, "test.Everything", "startTime>=" + text) == wanted, text
    both = sum(event["i"] >= 10 and event["hertz"] < 20 for event in events)
    assert counted(hprof, folder, "test.Everything", "i>=10", "hertz<20Hz") == both > 0


@one_jdk
@pytest.mark.jdks(17, 25)
def test_a_row_of_a_collection_keeps_what_other_events_say(jdk, hprof, recording):    # pylint: disable=redefined-outer-name
    folder = recording(jdk)
    whole = [line for line in run([hprof, "jfr", "view", "gc", "x.jfr"], folder).decode().splitlines()[3:] if line]
    longest = json.loads(run([hprof, "jfr", "print", "--json", "--events", "jdk.GarbageCollection", "x.jfr"], folder))["recording"]["events"]
    bound = sorted(seconds(event["values"]["longestPause"]) for event in longest)[len(longest) // 2]
    said = run([hprof, "jfr", "view", "gc", "--where", "longestPause>=%s s" % bound, "x.jfr"], folder).decode()
    rows = [line for line in said.splitlines()[3:] if line]
    assert 0 < len(rows) == sum(seconds(event["values"]["longestPause"]) >= bound for event in longest)
    assert {re.sub(" +", " ", row) for row in rows} <= {re.sub(" +", " ", row) for row in whole}
