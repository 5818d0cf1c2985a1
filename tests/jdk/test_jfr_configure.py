"""`hprof jfr configure` makes the settings that the JDK's own tool makes of the same files and choices, and the agent reads them.

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import subprocess
import xml.etree.ElementTree

import pytest
from conftest import JDKS, ROOT

CONTROLS = ROOT / "src/jfrtool/jfc_controls.def"
# Together they take each way in which a control leads to a setting: selections, conditions with and, or, not and without a value
# for false, texts and flags; then settings by themselves.
CHOICES = (
    ["gc=all", "allocation-profiling=off", "compiler=detailed", "method-profiling=off", "thread-dump=10s", "exceptions=all"],
    ["gc=off", "compiler=all", "thread-dump=off", "memory-leaks=gc-roots", "locking-threshold=5us", "class-loading=true"],
    ["jdk.ThreadSleep#threshold=007ms", "+my.Event#x=a<\"é&'>", "+jdk.GarbageCollection#period=infinity"],
)


def written(path):
    """The lines of the file without its comments."""
    return re.sub(r" *<!--.*?-->\n", "", path.read_text(), flags=re.S)


def meaning(path):
    """What the file says: events and settings in any order, controls in theirs."""
    def of(element):
        parts = [of(child) for child in element]
        return element.tag, sorted(element.items()), (element.text or "").strip(), sorted(parts) if element.tag == "event" else parts

    root = xml.etree.ElementTree.parse(path).getroot()
    return sorted(of(e) for e in root.iter("event")), [of(e) for e in root if e.tag != "event"]


def configure(command, folder, name, *words):
    path = folder / name
    subprocess.run([str(word) for word in (*command, "configure", *words, "--output", path)], check=True, stdout=subprocess.DEVNULL)
    return path


@pytest.mark.everyday(25)
@pytest.mark.jdks(17, 25)  # the first JDK that has `jfr configure`, and the first whose method filters are controls
@pytest.mark.parametrize("preset", ["default", "profile"])
def test_settings_are_those_of_the_tool_of_the_jdk(jdk, hprof, tmp_path, preset):
    source = pathlib.Path(jdk.home, "lib/jfr", preset + ".jfc")
    for i, choices in enumerate(CHOICES):
        wanted = configure([jdk.home + "/bin/jfr"], tmp_path, "jdk%d.jfc" % i, "--input", source, *choices)
        made = configure([hprof, "jfr"], tmp_path, "made%d.jfc" % i, "--input", source, *choices)
        known = configure([hprof, "jfr"], tmp_path, "known%d.jfc" % i, "--input", preset, "--jdk", jdk.number, *choices)
        assert written(made) == written(wanted)
        assert meaning(known) == meaning(wanted), "from the stored facts"


@pytest.mark.everyday(21)
@pytest.mark.jdks(21)  # settings are the agent's own affair
def test_the_agent_measures_what_was_chosen(jdk, hprof, run_java, tmp_path):
    path = configure([hprof, "jfr"], tmp_path, "x.jfc", "method-profiling=off", "gc=off", "allocation-profiling=off", "locking-threshold=7ms",
                     "exceptions=off", "memory-leaks=off", "+my.Event#enabled=true")
    ended = run_java(jdk, "settings=%s,file=x.jfr" % path, "Allocates", 8)
    shown = subprocess.run([str(hprof), "jfr", "print", "--json", "--events", "ActiveSetting", str(ended.cwd / "x.jfr")],
                           stdout=subprocess.PIPE, text=True, check=True).stdout
    settings = {(event["values"]["id"], event["values"]["name"]): event["values"]["value"]
                for event in json.loads(shown)["recording"]["events"]}
    # Events of input and output have both; the file turns them on, so event=io measures.
    calls = {event for event, name in settings if name == "throttle" and (event, "threshold") in settings}
    assert len(calls) == 7 and sum(settings[event, "enabled"] == "true" for event in calls) >= 4, settings
    # Native locks, late safepoints and pinned virtual threads have settings of their own; those of the first two the file does not name.
    assert {value for (event, name), value in settings.items() if name == "threshold" and event not in calls} == {"7 ms", "10 us", "2 ms", "20 ms"}, settings
    # Allocation, and CPU time under either name of its samples.
    sampled = [event for event, name in settings if name in ("period", "throttle") and event not in calls]
    assert len(sampled) == 3 and all(settings[event, "enabled"] == "false" for event in sampled), settings


@pytest.mark.everyday(21)
@pytest.mark.jdks(21)
def test_stored_controls_are_what_the_tool_makes_of_the_jdks(jdk):
    """One pass over the files of all JDKs, whichever `jdk` is; it stands for where the test is listed."""
    facts = (ROOT / "src/jfrtool/jfr_facts.def").read_text()
    wanted = [int(number) for number in re.findall(r"^RELEASE\((\d+)\)$", facts, re.M)]
    missing = [number for number in wanted if number not in JDKS]
    if missing:
        pytest.skip("JDKs %s are not here: the table is made from all of them" % missing)
    assert jdk.number in wanted
    made = subprocess.run([str(ROOT / "tools/jfr-facts"), "--controls"] + ["%d=%s" % (number, JDKS[number].home) for number in wanted],
                          stdout=subprocess.PIPE, text=True, check=True, timeout=60).stdout
    assert made == CONTROLS.read_text(), "make it anew with tools/jfr-facts --controls"
