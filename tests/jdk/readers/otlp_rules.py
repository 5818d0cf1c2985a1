# SPDX-License-Identifier: Apache-2.0
"""The rules of OpenTelemetry's profiles, asked of a file by the messages of opentelemetry-proto: argument: the file. Prints
{"TYPE/UNIT": {stack, outermost first: value}} as JSON, with the attributes of samples and the ids of their link behind the stack; where there are several
resources the pid of each and a blank are before the type.

Row 0 of each table is there and empty; nothing is twice in a table, and nothing there that nobody refers to; every number is
of a row; a sample has one value and no time, and what it is of no other sample of its profile is of.
"""
import json
import sys

from opentelemetry.proto.profiles.v1development import profiles_pb2

with open(sys.argv[1], "rb") as file:
    data = profiles_pb2.ProfilesData.FromString(file.read())
d = data.dictionary
used = {name: {0} for name in ("mapping", "location", "function", "link", "string", "attribute", "stack")}


def check_tables():
    for name in used:
        table = getattr(d, name + "_table")
        rows = [row if isinstance(row, str) else row.SerializeToString() for row in table]
        assert len(set(rows)) == len(rows), "%s table: a row is there twice" % name
        empty = b"\x0a\x10" + bytes(16) + b"\x12\x08" + bytes(8) if name == "link" else type(rows[0])()
        assert rows[0] == empty, "%s table: row 0 is not empty" % name
        assert used[name] == set(range(len(rows))), "%s table: %d rows, of which %d are used" % (name, len(rows), len(used[name]))


def row(name, number):
    used[name].add(number)
    return getattr(d, name + "_table")[number]


def attribute(number):
    assert number > 0
    found = row("attribute", number)
    value = found.value
    return row("string", found.key_strindex), value.string_value if value.WhichOneof("value") == "string_value" else value.int_value


def frames(number):
    for index in row("stack", number).location_indices:
        location = row("location", index)
        row("string", row("mapping", location.mapping_index).filename_strindex)
        (kind,) = [attribute(i) for i in location.attribute_indices]
        assert kind[0] == "profile.frame.type" and kind[1] in ("jvm", "native", "kernel")
        for line in location.lines:
            function = row("function", line.function_index)
            row("string", function.system_name_strindex)
            row("string", function.filename_strindex)
            yield row("string", function.name_strindex)


def read_profile(profile):
    name = "%s/%s" % (row("string", profile.sample_type.type_strindex), row("string", profile.sample_type.unit_strindex))
    assert profile.period > 0 and profile.period_type == profile.sample_type
    stacks = {}
    for sample in profile.samples:
        assert len(sample.values) == 1 and not sample.timestamps_unix_nano and sample.values[0] > 0
        said = sorted(attribute(i) for i in sample.attribute_indices)
        key = ";".join(reversed(list(frames(sample.stack_index)))) + "".join(" %s=%s" % pair for pair in said)
        if sample.link_index:
            link = row("link", sample.link_index)
            assert len(link.trace_id) == 16 and len(link.span_id) == 8 and any(link.trace_id) and any(link.span_id)
            key += " link=%s:%s" % (link.trace_id.hex(), link.span_id.hex())
        stacks[key] = stacks.get(key, 0) + sample.values[0]
    of = [(sample.stack_index, sample.link_index, tuple(sample.attribute_indices)) for sample in profile.samples]
    assert len(set(of)) == len(of), "two samples of one stack, one link and one set of attributes"
    return name, stacks


said, several = {}, len(data.resource_profiles) > 1
for resource in data.resource_profiles:
    (scope,) = resource.scope_profiles
    attributes = {a.key: a.value for a in resource.resource.attributes}
    assert attributes.keys() - {"process.pid", "process.creation.time"} == {"service.name"}
    assert scope.scope.name == "hprof" and len(scope.profiles) > 0
    pid = "%d " % attributes["process.pid"].int_value if several else ""
    found = {pid + name: stacks for name, stacks in map(read_profile, scope.profiles)}
    assert len(found) == len(scope.profiles), "one profile for each value"
    assert not found.keys() & said.keys(), "two resources of one pid"
    said.update(found)
check_tables()
print(json.dumps(said))
