"""hprof push: a receiver of our own, which answers as real ones do, and what arrives there, read by OpenTelemetry's messages.

SPDX-License-Identifier: Apache-2.0
"""
import collections
import email
import gzip
import http.server
import json
import re
import socket
import ssl
import subprocess
import threading

import foreign
import pytest
from conftest import ROOT, TIMEOUT_S, clean_environment
from test_pictures import OPENTELEMETRY_PROTO

DECODER = """
import json, sys
from opentelemetry.proto.collector.profiles.v1development import profiles_service_pb2 as service
said = {"samples": {}, "resources": [], "ids": []}
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        request = service.ExportProfilesServiceRequest.FromString(file.read())
    d = request.dictionary
    text = d.string_table
    def attribute(number):
        a = d.attribute_table[number]
        return "%s=%s" % (text[a.key_strindex], a.value.string_value or a.value.int_value)
    def frames(number):
        for location in d.stack_table[number].location_indices:
            for line in d.location_table[location].lines:
                yield "%s:%d" % (text[d.function_table[line.function_index].name_strindex], line.line)
    for resource in request.resource_profiles:
        said["resources"].append({a.key or text[a.key_strindex]: a.value.string_value or text[a.value.string_value_strindex] or a.value.int_value
                                  for a in resource.resource.attributes})
        for scope in resource.scope_profiles:
            for profile in scope.profiles:
                # The same profile once more: an answer was lost.
                is_again = profile.profile_id.hex() in said["ids"]
                said["ids"].append(profile.profile_id.hex())
                if is_again:
                    continue
                kind = text[profile.sample_type.type_strindex]
                for sample in profile.samples:
                    key = " ".join([kind, ";".join(frames(sample.stack_index)), *sorted(map(attribute, sample.attribute_indices))])
                    said["samples"][key] = said["samples"].get(key, 0) + sum(sample.values)
print(json.dumps(said))
"""


class Receiver:
    """Takes requests; `answers` are the statuses of the first ones, then 200. "cut" ends the connection without an answer."""

    def __init__(self, folder, answers=(), headers=(), body=b"", context=None, limit=None):
        self.requests, self.taken, self.folder = [], [], folder
        receiver, answers = self, list(answers)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                content = self.rfile.read(int(self.headers["Content-Length"]))
                answer = answers.pop(0) if answers else 200
                if limit and len(content) > limit:
                    answer = 413
                receiver.requests.append((self.path, dict(self.headers), content, answer))
                if answer == "cut":
                    self.close_connection = True
                    return
                self.send_response(answer)
                if answer != 200:
                    for name, value in headers:
                        self.send_header(name, value)
                else:
                    receiver.taken.append(content)
                said = body if answer == 200 else b"not now\n\x1b[31m"
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        if context:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.url = "%s://localhost:%d" % ("https" if context else "http", self.server.server_port)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def decoded(self, contents=None):
        paths = []
        for number, content in enumerate(self.taken if contents is None else contents):
            paths.append(self.folder / ("request-%d" % number))
            paths[-1].write_bytes(content)
        return decode(self.folder, paths)


def decode(folder, paths):
    python = foreign.pypi("opentelemetry-proto", OPENTELEMETRY_PROTO)
    (folder / "decode.py").write_text(DECODER, encoding="ascii")
    return json.loads(subprocess.run([python, str(folder / "decode.py"), *map(str, paths)], check=True, stdout=subprocess.PIPE,
                                     timeout=TIMEOUT_S).stdout)


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """A profile of thousands of stacks, and what of it a file of OTLP has."""
    folder = tmp_path_factory.mktemp("pushed")
    lines = ["acme.Main.main;acme.Work%d.run;acme.Part%d.step %d" % (n % 97, n, n + 1) for n in range(3000)]
    (folder / "x.collapsed").write_text("\n".join(lines) + "\n", encoding="ascii")
    return folder / "x.collapsed"


@pytest.fixture
def push(hprof, tmp_path):
    def do(*words, status=0, **more):
        environment = dict(clean_environment(), **more)
        done = subprocess.run([hprof, "push", *map(str, words)], cwd=str(tmp_path), env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
        assert done.returncode == status, done.stderr
        return done.stderr.decode()
    return do


def recorded(hprof, folder, path):
    """What the file has, by the file that report makes of it."""
    subprocess.run([hprof, "report", str(path), "-o", "whole.otlp"], cwd=str(folder), check=True, stderr=subprocess.PIPE, timeout=TIMEOUT_S)
    return decode(folder, [folder / "whole.otlp"])["samples"]


def test_all_samples_arrive_in_requests_below_the_limit(hprof, push, profile, tmp_path):
    with Receiver(tmp_path) as receiver:
        said = push(receiver.url, profile, "--max-request", "20k", "--service", "shop", "--attribute", "team=a,b")
        found = receiver.decoded()
    assert len(receiver.requests) > 5 and all(len(content) <= 20 << 10 for content in receiver.taken)
    assert all(path == "/v1development/profiles" and headers["Content-Type"] == "application/x-protobuf"
               for path, headers, _, _ in receiver.requests)
    assert found["samples"] == recorded(hprof, tmp_path, profile)
    assert len(set(found["ids"])) == len(found["ids"]) == len(receiver.requests) and "00" * 16 not in found["ids"]
    assert all(resource == {"service.name": "shop", "team": "a,b"} for resource in found["resources"])
    assert "sent 3000 samples in %d requests" % len(receiver.requests) in said


def test_a_retry_has_the_same_bytes_and_only_what_arrives_counts(hprof, push, profile, tmp_path):
    with Receiver(tmp_path, [503, 429, "cut", 502, 504], headers=[("Retry-After", "0")]) as receiver:
        said = push(receiver.url, profile)
        found = receiver.decoded()
    assert [answer for _, _, _, answer in receiver.requests] == [503, 429, "cut", 502, 504, 200]
    assert len({content for _, _, content, _ in receiver.requests}) == 1
    assert found["samples"] == recorded(hprof, tmp_path, profile) and "again" in said


def test_what_is_refused_is_counted(push, profile, tmp_path):
    with Receiver(tmp_path, [400]) as receiver:
        said = push(receiver.url, profile, status=1)
    assert len(receiver.requests) == 1
    assert "the receiver answers 400: not now ?[31m" in said and "3000 samples did not arrive" in said
    with Receiver(tmp_path, [503] * 50) as receiver:
        said = push(receiver.url, profile, "--retry", "1", status=1)
    assert len(receiver.requests) > 1 and "3000 samples did not arrive" in said
    said = push(receiver.url, profile, "--retry", "1", status=1)    # nobody listens there any more
    assert "3000 samples did not arrive" in said
    with Receiver(tmp_path, [302]) as receiver:
        assert "redirects are not followed" in push(receiver.url, profile, status=1)


def test_a_receiver_with_a_smaller_limit_gets_smaller_requests(hprof, push, profile, tmp_path):
    with Receiver(tmp_path, limit=30000) as receiver:
        push(receiver.url, profile)
        found = receiver.decoded()
    assert found["samples"] == recorded(hprof, tmp_path, profile)
    with Receiver(tmp_path, limit=10) as receiver:
        said = push(receiver.url, tmp_path / "one.collapsed" if (tmp_path / "one.collapsed").write_text("a;b 1\n") else "", status=1)
    assert "1 sample did not arrive" in said


def test_a_partial_success_is_reported(push, profile, tmp_path):
    words = b"too old\x1b[2J"
    part = b"\x08\x01\x12" + bytes([len(words)]) + words
    with Receiver(tmp_path, body=b"\x0a" + bytes([len(part)]) + part) as receiver:
        said = push(receiver.url, profile, status=1)
    assert "the receiver has rejected 1 of 1 profiles: too old?[2J" in said
    with Receiver(tmp_path, body=b"\xff" * 100000) as receiver:
        push(receiver.url, profile)


def test_variables_and_files_of_headers(hprof, push, profile, tmp_path):
    (tmp_path / "headers").write_text("# of the receiver\nAuthorization: Bearer secret\n\nX-Scope-OrgID: 7\n", encoding="ascii")
    with Receiver(tmp_path) as receiver:
        push(profile, "--header", "@headers", OTEL_EXPORTER_OTLP_ENDPOINT=receiver.url + "/base/", OTEL_EXPORTER_OTLP_HEADERS="a=b%20c, d=e",
             OTEL_EXPORTER_OTLP_COMPRESSION="gzip", OTEL_SERVICE_NAME="named",
             OTEL_RESOURCE_ATTRIBUTES="deployment.environment=test,service.name=other", OTEL_EXPORTER_OTLP_PROFILES_TIMEOUT="5000")
        (path, headers, content, _), = receiver.requests
        found = receiver.decoded([gzip.decompress(content)])
    assert path == "/base/v1development/profiles" and headers["Content-Encoding"] == "gzip"
    assert headers["Authorization"] == "Bearer secret" and headers["X-Scope-OrgID"] == "7" and headers["a"] == "b c" and headers["d"] == "e"
    assert found["resources"] == [{"service.name": "named", "deployment.environment": "test"}]
    assert found["samples"] == recorded(hprof, tmp_path, profile)


def certificate(folder, name):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
                    "subjectAltName=DNS:localhost", "-keyout", name + ".key", "-out", name + ".pem"], cwd=str(folder), check=True,
                   stderr=subprocess.PIPE, timeout=TIMEOUT_S)


def test_a_wrong_certificate_is_refused(push, profile, tmp_path):
    certificate(tmp_path, "right")
    certificate(tmp_path, "wrong")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(str(tmp_path / "right.pem"), str(tmp_path / "right.key"))
    with Receiver(tmp_path, context=context) as receiver:
        push(receiver.url, profile, OTEL_EXPORTER_OTLP_CERTIFICATE=str(tmp_path / "right.pem"))
        said = push(receiver.url, profile, OTEL_EXPORTER_OTLP_CERTIFICATE=str(tmp_path / "wrong.pem"), status=1)
    assert len(receiver.requests) == 1 and "3000 samples did not arrive" in said and re.search("(?i)certificate", said)


def test_pyroscope_gets_pprof(hprof, push, profile, tmp_path):
    with Receiver(tmp_path) as receiver:
        push(receiver.url + "/ingest", profile, "--service", "shop", "--attribute", "region=eu")
    (path, headers, content, _), = receiver.requests
    assert re.fullmatch(r"/ingest\?name=shop%7Bregion%3Deu%7D&format=pprof&from=\d+&until=\d+", path), path
    form = email.message_from_bytes(b"Content-Type: " + headers["Content-Type"].encode() + b"\r\n\r\n" + content)
    part, = form.get_payload()
    assert part.get_param("name", header="Content-Disposition") == "profile"
    (tmp_path / "got.pb").write_bytes(part.get_payload(decode=True))
    assert read_back(hprof, tmp_path / "got.pb") == read_back(hprof, profile)


def read_back(hprof, path):
    said = subprocess.run([hprof, "report", str(path), "--to", "collapsed", "-o", "-"], check=True, stdout=subprocess.PIPE, timeout=TIMEOUT_S).stdout
    return collections.Counter(said.decode().splitlines())


@pytest.mark.jdks(8, 17, 25, "newest")
def test_a_recording_is_sent_when_it_is_over(hprof, jdk, start_java, tmp_path):
    java = start_java(jdk, None, "CpuHot", 20000)
    with Receiver(tmp_path) as receiver:
        done = subprocess.run([hprof, "record", str(java.pid), "-d", "2", "--push", receiver.url, "-o", "x.jfr"], cwd=str(tmp_path),
                              env=clean_environment(), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
        assert done.returncode == 0, done.stderr
        found = receiver.decoded()
    assert found["samples"] and found["samples"] == recorded(hprof, tmp_path, tmp_path / "x.jfr")
    resource, = found["resources"]
    assert resource["service.name"] == "CpuHot" and resource["process.pid"] == java.pid and resource["host.name"] == socket.gethostname()
    assert resource["service.instance.id"].startswith("%s:%d:" % (socket.gethostname(), java.pid)) and resource["process.runtime.version"]
