"""firefox_schema.py - what the Firefox Profiler's types say of the parts that hprof writes, as a JSON schema on standard output.

Of version 70 of the processed profile: src/types/profile.ts and markers.ts. Where a type has more fields than hprof writes, these are not here: a field
that is written and not here is a mistake of either.
SPDX-License-Identifier: Apache-2.0
"""
import json

NUMBER, TEXT, TRUTH, INDEX, ANY = {"type": "number"}, {"type": "string"}, {"type": "boolean"}, {"type": "integer", "minimum": 0}, {}


def of(*words):
    return {"enum": list(words)}


def array(items, least=0):
    return {"type": "array", "items": items, "minItems": least}


def record(needed, other=None, more=False):
    return {"type": "object", "required": sorted(needed), "properties": {**needed, **(other or {})}, "additionalProperties": more}


def table(**columns):
    return record({"length": INDEX, **{name: array(kind) for name, kind in columns.items()}})


def or_null(kind):
    return {"anyOf": [kind, {"type": "null"}]}


FORMAT = of("url", "file-path", "sanitized-string", "string", "unique-string", "flow-id", "terminating-flow-id", "duration", "time", "seconds", "milliseconds",
            "microseconds", "nanoseconds", "bytes", "percentage", "integer", "decimal", "hexadecimal", "pid", "tid", "list")
PLACE = of("marker-chart", "marker-table", "timeline-overview", "timeline-memory", "timeline-ipc", "timeline-fileio", "timeline-network", "stack-chart")
CATEGORY_COLOR = of("transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red", "lightred", "darkgrey", "grey")
GRAPH_COLOR = of("blue", "green", "grey", "ink", "magenta", "orange", "purple", "red", "teal", "yellow")
FIELD = record({"key": {"type": "string", "pattern": "^[^.{}]+$"}, "format": FORMAT}, {"label": TEXT, "hidden": TRUTH})
MARKER_SCHEMA = record({"name": TEXT, "display": array(PLACE), "fields": array(FIELD)},
                       {"tooltipLabel": TEXT, "tableLabel": TEXT, "chartLabel": TEXT, "description": TEXT})
EXTRA = record({"label": TEXT, "entries": array(record({"label": TEXT, "format": FORMAT, "value": ANY}))})
META = record(
    {"interval": NUMBER, "startTime": NUMBER, "processType": INDEX, "product": TEXT, "stackwalk": of(0, 1), "version": INDEX,
     "preprocessedProfileVersion": of(70), "markerSchema": array(MARKER_SCHEMA),
     "categories": array(record({"name": TEXT, "color": CATEGORY_COLOR, "subcategories": array(TEXT, 1)}), 1)},
    {"sampleUnits": record({"time": of("ms"), "eventDelay": of("ms"), "threadCPUDelta": of("ns", "\u00b5s", "variable CPU cycles")}),
     "profilingStartTime": NUMBER, "profilingEndTime": NUMBER, "symbolicated": TRUTH, "importedFrom": TEXT, "usesOnlyOneStackType": TRUTH,
     "sourceCodeIsNotOnSearchfox": TRUTH, "keepProfileThreadOrder": TRUTH, "initialVisibleThreads": array(INDEX), "initialSelectedThreads": array(INDEX),
     "arguments": TEXT, "CPUName": TEXT, "logicalCPUs": INDEX, "physicalCPUs": INDEX, "oscpu": TEXT, "platform": TEXT, "extra": array(EXTRA)})
SAMPLES = record({"length": INDEX, "stack": array(or_null(INDEX)), "time": array(NUMBER), "weight": array(NUMBER),
                  "weightType": of("samples", "tracing-ms", "bytes")}, {"threadCPUDelta": array(or_null(NUMBER))})
DATA = record({"type": TEXT}, {"cause": record({"stack": or_null(INDEX)}, {"time": NUMBER})}, more=True)
MARKERS = table(data=or_null(DATA), name=INDEX, startTime=or_null(NUMBER), endTime=or_null(NUMBER), phase=of(0, 1, 2, 3), category=INDEX)
THREAD = record({"processType": TEXT, "processStartupTime": NUMBER, "processShutdownTime": or_null(NUMBER), "registerTime": NUMBER,
                 "unregisterTime": or_null(NUMBER), "pausedRanges": array(ANY), "name": TEXT, "isMainThread": TRUTH, "pid": TEXT, "tid": INDEX,
                 "samples": SAMPLES, "markers": MARKERS}, {"processName": TEXT, "showMarkersInTimeline": TRUTH})
TOOLTIP = record({"type": of("value"), "source": of("count", "rate", "cpu-ratio", "accumulated"), "format": record({"unit": TEXT}), "label": TEXT})
COUNTER = record({"name": TEXT, "category": TEXT, "description": TEXT, "pid": TEXT, "mainThreadIndex": INDEX, "samples": table(time=NUMBER, count=NUMBER),
                  "display": record({"graphType": of("line-accumulated", "line-rate"), "unit": TEXT, "color": GRAPH_COLOR, "markerSchemaLocation": or_null(PLACE),
                                     "sortWeight": NUMBER, "label": TEXT, "tooltipRows": array(TOOLTIP)})})
OPTIONAL, LINE = or_null(INDEX), {"type": "integer", "minimum": -1}
SHARED = record({
    "stringArray": array(TEXT), "stackTable": table(frame=INDEX, prefixOffset=INDEX),
    "frameTable": table(address=LINE, lib=LINE, inlineDepth=INDEX, category=OPTIONAL, subcategory=OPTIONAL, func=INDEX, nativeSymbol=OPTIONAL,
                        innerWindowID=OPTIONAL, line=OPTIONAL, column=OPTIONAL, originalLocation=OPTIONAL),
    "funcTable": table(name=INDEX, isJS=TRUTH, relevantForJS=TRUTH, resource=LINE, source=OPTIONAL, lineNumber=OPTIONAL, columnNumber=OPTIONAL,
                       originalLocation=OPTIONAL),
    "resourceTable": table(name=INDEX, host=ANY, type=INDEX), "nativeSymbols": table(libIndex=INDEX, address=INDEX, name=INDEX, functionSize=ANY),
    "sources": table(id=ANY, filename=INDEX, startLine=INDEX, startColumn=INDEX, sourceMapURL=ANY, content=ANY),
    "sourceLocationTable": table(source=INDEX, line=INDEX, column=INDEX)})
PROFILE = record({"meta": META, "libs": array(ANY), "threads": array(THREAD), "shared": SHARED}, {"counters": array(COUNTER)})

print(json.dumps(PROFILE))
