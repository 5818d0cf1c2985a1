"""The contexts of OpenTelemetry: samples have what an SDK in the program publishes for its threads, and for the process.

The SDK is native/publishes.c. The program's methods run in one span each, so each sample is judged by its own stack.
SPDX-License-Identifier: Apache-2.0
"""
import json
import subprocess

import conftest
import foreign
import jfr_file
import pytest
from test_push import Receiver

NEWEST = conftest.JDKS[max(conftest.JDKS)]
OPENTELEMETRY_PROTO = "1.45.2"
# How a compiler reaches the variable decides where it lies: the linker gives a large library no room in the static block.
MODELS = {"descriptor": ["-mtls-dialect=gnu2"], "classic": ["-mtls-dialect=gnu"], "initial": ["-ftls-model=initial-exec"],
          "large": ["-mtls-dialect=gnu2", "-DBLOCK_BYTES=65536"]}
SPANS = {"spanOne": ("11" * 16, "21" * 8, "/cart", "alice"), "spanTwo": ("12" * 16, "22" * 8, "/pay", None),
         "none": (None,) * 4, "spoiled": (None,) * 4}
KEYS = ("trace_id", "span_id", "http.route", "user_id")


@pytest.fixture(scope="session")
def programs(tmp_path_factory):
    return conftest.compile_programs(tmp_path_factory, "programs_publishes")


@pytest.fixture(scope="session", name="sdk")
def sdk_fixture(tmp_path_factory):
    made = {}

    def sdk(model):
        if model not in made:
            made[model] = conftest.compile_library(tmp_path_factory, "publishes", *MODELS[model])
        return made[model]
    return sdk


def judge(events, keys, may_lack=False):
    """How many events there are of each of the program's methods; all have the context of their method, or none if they may lack it.

    The agent sees a library, and the names of attributes, within a second: what came before the first event that has the
    last of the keys is left out.
    """
    found = dict.fromkeys(SPANS, 0)
    events = sorted(events, key=lambda event: event["startTime"])
    first = next((i for i, event in enumerate(events) if (event.get("context") or {}).get(keys[-1])), len(events))
    for event in events[first:]:
        for frame in (event["stackTrace"] or {"frames": []})["frames"]:
            name = frame["method"]["name"]
            if frame["method"]["type"]["name"] == "Publishes" and name in SPANS:
                context = event.get("context") or {}
                if may_lack and not context.get("trace_id"):
                    break
                assert tuple(context.get(key) for key in keys) == SPANS[name][:len(keys)], (name, event)
                found[name] += 1
                break
    return found


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.everyday(8, 25)
def test_a_sample_has_what_its_thread_publishes(jdk, run_java, programs, sdk, model):
    """Samples read in the thread's own handler: of CPU time, and of the wall clock while the thread runs."""
    ended = run_java(jdk, "cpu=samples,interval=1ms,event=wall,wall=5ms,depth=64,file=x.jfr", "-cp", programs, "Publishes", sdk(model), 40)
    assert ended.rc == 0 and ended.stdout == "worked\ndone\n", ended.stdout + ended.stderr
    by_type = jfr_file.events_by_type(NEWEST, ended.cwd / "x.jfr", ["jdk.ExecutionSample", "profiler.WallClockSample"], depth=64)
    found = judge(by_type["jdk.ExecutionSample"], KEYS)
    assert min(found.values()) >= 5, found
    # A thread that has no processor is looked at from outside, as one that waits: docs/context.md.
    found = judge(by_type["profiler.WallClockSample"], KEYS, may_lack=True)
    assert found["spanOne"] >= 1, found


@pytest.fixture(scope="session", name="spans")
def spans_fixture(tmp_path_factory, programs, sdk):
    """A recording of the program, by the newest JDK."""
    folder = tmp_path_factory.mktemp("spans")
    java = conftest.Java([NEWEST.tool("java"), "-agentpath:%s=cpu=samples,interval=1ms,file=x.jfr" % conftest.built("src/agent/libhprof.so"),
                          "-cp", str(programs), "Publishes", str(sdk("descriptor")), "40"], folder / "run")
    ended = java.end()
    assert ended.rc == 0, ended.stderr
    return ended.cwd / "x.jfr"


@pytest.mark.everyday
def test_otlp_has_links_to_the_spans(hprof, spans):
    python = foreign.pypi("opentelemetry-proto", OPENTELEMETRY_PROTO)
    subprocess.run([hprof, "report", "-o", "x.otlp", str(spans)], cwd=str(spans.parent), check=True)
    said = json.loads(subprocess.run([str(python), str(conftest.HERE / "readers/otlp_rules.py"), str(spans.parent / "x.otlp")],
                                     stdout=subprocess.PIPE, text=True, check=True).stdout)
    linked = {name: [stack for stack in said["samples/count"] if "Publishes.%s" % name in stack and " link=" in stack] for name in SPANS}
    for name in ("spanOne", "spanTwo"):
        trace, span = SPANS[name][:2]
        assert linked[name] and all(stack.endswith(" link=%s:%s" % (trace, span)) for stack in linked[name]), linked[name]
    assert not linked["none"] and not linked["spoiled"]
    assert not any("trace_id=" in stack or "span_id=" in stack for stack in said["samples/count"])
    assert any(" http.route=/cart" in stack and " user_id=alice" in stack for stack in linked["spanOne"])


@pytest.mark.everyday
def test_reports_and_labels_have_the_ids(hprof, spans):
    table = subprocess.run([hprof, "report", "--by", "http.route", str(spans)], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert " /cart\n" in table and " /pay\n" in table and " (none)\n" in table, table
    subprocess.run([hprof, "report", "-o", "x.pb.gz", str(spans)], cwd=str(spans.parent), check=True)
    for key, value in (("span_id", "21" * 8), ("trace_id", "12" * 16)):
        table = subprocess.run([hprof, "report", "--by", key, "x.pb.gz"], cwd=str(spans.parent), stdout=subprocess.PIPE, text=True, check=True).stdout
        assert " %s\n" % value in table, table
    subprocess.run([hprof, "report", "-o", "x.firefox.json", str(spans)], cwd=str(spans.parent), check=True)
    assert '"%s"' % ("21" * 8) in (spans.parent / "x.firefox.json").read_text()


@pytest.mark.jdks(25)
@pytest.mark.everyday(25)
def test_info_shows_the_resource(jdk, start_java, programs, sdk, hprof):
    java = start_java(jdk, None, "-cp", programs, "Publishes", sdk("descriptor"), 100000)

    def said():
        return subprocess.run([hprof, "info", str(java.pid)], stdout=subprocess.PIPE, text=True, check=False).stdout
    conftest.wait_until(lambda: "resource " in said(), "resource", lambda: java.process.poll() is not None, said)
    text = said()
    java.process.kill()
    assert "resource service.name=shop\n         service.version=1.2\n         service.instance.id=one-of-many\n" in text, text
    assert "threadlocal" not in text


@pytest.mark.jdks(25)
@pytest.mark.everyday(25)
def test_the_resource_is_pushed_and_the_user_comes_first(jdk, start_java, programs, sdk, hprof, tmp_path):
    """What the program says replaces the name of its main class; what OTEL_RESOURCE_ATTRIBUTES says replaces that."""
    java = start_java(jdk, None, "-cp", programs, "Publishes", sdk("descriptor"), 100000)
    with Receiver(tmp_path) as receiver:
        subprocess.run([hprof, "record", "-d", "3s", "-i", "1ms", "-o", "x.jfr", "--push", receiver.url, str(java.pid)], cwd=str(tmp_path), check=True,
                       env=conftest.clean_environment({"OTEL_RESOURCE_ATTRIBUTES": "service.version=9"}), stdin=subprocess.DEVNULL, timeout=conftest.TIMEOUT_S)
        (resource,) = receiver.decoded()["resources"]
    java.process.kill()
    assert {key: resource[key] for key in ("service.name", "service.version", "service.instance.id")} == {
        "service.name": "shop", "service.version": "9", "service.instance.id": "one-of-many"}, resource
