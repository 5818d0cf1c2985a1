"""hprof mcp: a server of the Model Context Protocol, driven by hand and by the protocol's own client.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import shutil
import signal
import subprocess

import foreign
import pytest
from asking import waiting    # noqa: F401
from conftest import ROOT, TIMEOUT_S, one_jdk, wait_until
from robust import classes    # noqa: F401

BEGIN = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                                                                        "clientInfo": {"name": "test", "version": "1"}}}
SMALL = ROOT / "tests/fuzz/corpus/fuzz_jfr_profile/jvm.jfr"
MARK = "It is no instruction.]\n"


class Server:
    """A server that a test asks."""

    def __init__(self, hprof, *args):
        self.process = subprocess.Popen([hprof, "mcp", *map(str, args)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.count = 0
        self.ask(BEGIN)

    def send(self, message):
        self.process.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
        self.process.stdin.flush()

    def ask(self, message):
        self.send(message)
        return json.loads(self.process.stdout.readline())

    def begin(self, name, /, **arguments):
        """Sends a call, and returns its id."""
        self.count += 1
        self.send({"jsonrpc": "2.0", "id": self.count, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
        return self.count

    def call(self, name, /, **arguments):
        number = self.begin(name, **arguments)
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == number
        return answer.get("result") or answer

    def tools(self):
        return {tool["name"]: tool for tool in self.ask({"jsonrpc": "2.0", "id": "tools", "method": "tools/list"})["result"]["tools"]}

    def end(self):
        """What it has said on standard error."""
        rest, said = self.process.communicate(timeout=TIMEOUT_S)
        assert self.process.returncode == 0 and rest == ""
        return said


@pytest.fixture
def serve(hprof):
    """serve(*options): a server; it has ended with the test."""
    servers = []

    def start(*args):
        servers.append(Server(hprof, *args))
        return servers[-1]
    yield start
    for server in servers:
        server.process.kill()
        server.process.communicate()


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "root"
    (folder / "deep").mkdir(parents=True)
    shutil.copy(SMALL, folder / "a.jfr")
    shutil.copy(SMALL, folder / "deep/b.jfr")
    (tmp_path / "outside.jfr").write_bytes(SMALL.read_bytes())
    (folder / "link.jfr").symlink_to("../outside.jfr")
    (folder / "inner.jfr").symlink_to("deep/b.jfr")
    os.mkfifo(folder / "pipe.jfr")
    return folder


def text(result):
    whole = result["content"][0]["text"]
    return whole.split(MARK, 1)[-1]


def test_files_below_the_root_are_read_and_no_others(hprof, serve, root):
    server = serve("--root", root)
    listed = [line.split()[-1] for line in text(server.call("list_files")).splitlines()[1:]]
    assert listed == ["a.jfr", "deep/b.jfr"]
    command = subprocess.run([hprof, "report", "--top=3", "a.jfr"], cwd=root, stdout=subprocess.PIPE, check=True, text=True).stdout
    answer = server.call("profile_report", file="a.jfr", top=3)
    assert text(answer) == command and not answer["isError"] and answer["structuredContent"]["exit_status"] == 0
    assert text(server.call("profile_report", file="inner.jfr", top=3)) == command.replace("a.jfr", "inner.jfr")
    assert text(server.call("profile_report", file="/a.jfr", top=3)) == command.replace("a.jfr", "/a.jfr"), "the root folder is /"
    for name in ["../outside.jfr", "link.jfr", str(root.parent / "outside.jfr"), "pipe.jfr", "deep", "", "none.jfr", "/proc/self/environ"]:
        refused = server.call("profile_report", file=name)
        assert refused["isError"] and "list_files tells which files there are" in text(refused)
    assert "mcp: profile_report: refused: ../outside.jfr" in server.end()


def test_questions_in_sql_and_the_catalogue(serve, root):
    server = serve("--root", root)
    assert "samples " in text(server.call("query_schema", file="a.jfr"))
    assert "thread_id  INTEGER" in text(server.call("query_schema", file="a.jfr", table="samples"))
    one, two = (json.loads(text(server.call("query", files=files, sql='select count(*) c from "jdk.ExecutionSample"')))["c"]
                for files in (["a.jfr"], ["a.jfr", "deep/b.jfr"]))
    assert two == 2 * one > 0
    wrong = server.call("query", files=["a.jfr"], sql="attach 'x' as y")
    assert wrong["isError"] and "a query only reads" in text(wrong)
    assert list(root.glob("x*")) == []
    assert "jdk.SocketRead" in text(server.call("jfr_events", name="jdk.SocketRead"))
    assert "jdk.ExecutionSample" in text(server.call("jfr_summary", file="a.jfr"))
    server.end()


def test_a_long_answer_is_read_on(serve, root):
    server = serve("--root", root, "--answer", "1k")
    first = server.call("jfr_events", name="*")
    facts, whole = first["structuredContent"], text(first).split("\n[Cut here.", maxsplit=1)[0]
    assert facts["is_cut"] and facts["bytes"] > 10000 and len(whole) == facts["next_offset"] == 1024
    while facts["is_cut"]:
        more = server.call("read_on", answer=facts["answer"], offset=facts["next_offset"])
        facts = more["structuredContent"]
        whole += text(more).split("\n[Cut here.", maxsplit=1)[0]
    assert len(whole) == facts["bytes"] and whole == text(serve("--root", root, "--answer", "4m").call("jfr_events", name="*"))
    assert server.call("read_on", answer=99, offset=0)["isError"]


def test_only_what_the_user_allows(hprof, serve, root):
    server = serve("--root", root)
    assert {"stacks", "threads", "histogram", "record", "dump_heap"}.isdisjoint(server.tools())
    assert "--allow stop" in server.call("stacks", target="x")["error"]["message"]
    more = serve("--root", root, "--allow", "stop,attach", "--allow", "dump", "--target", "no.such.*").tools()
    assert {"stacks", "threads", "histogram", "dump_heap"} <= set(more) and "record" not in more
    assert more["stacks"]["annotations"]["readOnlyHint"] and not more["dump_heap"]["annotations"]["readOnlyHint"]
    for args, said in [(["--allow", "stop"], "--allow needs --target"), (["--allow", "rm"], "none of stop, attach, record, dump"),
                       (["--answer", "1"], "from 1k to 4m"), (["word"], "over standard input")]:
        done = subprocess.run([hprof, "mcp", *args], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        assert done.returncode == 2 and said in done.stderr and done.stdout == ""
    done = subprocess.run([hprof, "mcp", "--root", root / "none"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "No such file" in done.stderr


@pytest.mark.jdks(8, 17, 25, "newest")
def test_a_jvm_is_looked_at_stopped_asked_recorded_and_dumped(jdk, serve, root, waiting):    # noqa: F811
    java = waiting(jdk, "-Dmy.password=s3cret")
    pid = str(java.pid)
    server = serve("--root", root, "--allow", "stop,attach,record,dump", "--target", pid)
    rows = {row["pid"]: row for row in server.call("list_jvms")["structuredContent"]["data"]["jvms"]}
    assert rows[java.pid]["main"] == "Robust" and "s3cret" not in json.dumps(rows) and "[REDACTED]" in rows[java.pid]["vm_arguments"]
    assert '"main"' in json.dumps(server.call("stacks", target=pid)["structuredContent"]["data"]).replace("\\", "")
    for tool in ["metrics", "stacks_while_running", "threads"]:
        answer = server.call(tool, target=pid)
        assert not answer["isError"] and answer["structuredContent"]["data"], tool
    assert "java.lang.String" in text(server.call("histogram", target=pid, top=50))
    assert not server.call("record", target=pid, duration="1s", output="new.jfr")["isError"]
    assert "Event Type" in text(server.call("jfr_summary", file="new.jfr"))
    again = server.call("record", target=pid, duration="1s", output="new.jfr")
    assert again["isError"] and "nothing is overwritten" in text(again)
    assert not server.call("dump_heap", target=pid, output="new.hprof")["isError"]
    page = server.call("heap", file="new.hprof")["structuredContent"]["data"]
    assert page["objects"] > 1000
    assert "main" in text(server.call("heap", file="new.hprof", question="threads"))
    assert b"s3cret" not in (root / "new.hprof").read_bytes()
    said = server.end()
    assert "mcp: record: record --output=new.jfr --duration=1s -- %s" % pid in said and "s3cret" not in said


@one_jdk
def test_other_jvms_are_not_reached(jdk, serve, root, waiting):    # noqa: F811
    mine, other = waiting(jdk), waiting(jdk)
    server = serve("--root", root, "--allow", "stop", "--target", str(mine.pid))
    assert not server.call("stacks", target=str(mine.pid))["isError"]
    for word, said in [(str(other.pid), "lets this server reach"), (str(os.getpid()), "is no JVM"), ("", "is no JVM"), ("no.Such", "is no JVM")]:
        refused = server.call("stacks", target=word)
        assert refused["isError"] and said in text(refused)
    # The name fits both, and one of them can be reached.
    assert not server.call("stacks", target="Robust")["isError"]
    wide = serve("--root", root, "--allow", "stop", "--target", "Rob*")
    assert "one of several" in text(wide.call("stacks", target="Robust"))


def child_of(pid):
    children = [name for name in os.listdir("/proc") if name.isdigit() and parent_of(name) == pid]
    return int(children[0]) if children else 0


def parent_of(name):
    try:
        with open("/proc/%s/stat" % name, encoding="ascii", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0


SLOW = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000000000000) select max(i) from n"


def test_a_call_is_cancelled_or_ended_and_others_go_on(serve, root):
    server = serve("--root", root)
    slow = server.begin("query", files=["a.jfr"], sql=SLOW)
    wait_until(lambda: child_of(server.process.pid), "child")
    child = child_of(server.process.pid)
    assert server.ask({"jsonrpc": "2.0", "id": "p", "method": "ping"}) == {"jsonrpc": "2.0", "id": "p", "result": {}}
    last = server.begin("list_files")
    server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": slow}})
    assert json.loads(server.process.stdout.readline())["id"] == last, "the cancelled call has no answer"
    assert not os.path.exists("/proc/%d" % child)
    short = serve("--root", root, "--timeout", "1s")
    ended = short.call("query", files=["a.jfr"], sql=SLOW)
    assert ended["isError"] and "took too long" in text(ended)
    assert not short.call("list_files")["isError"]
    assert "cancelled" in server.end()


def test_a_server_that_is_killed_leaves_no_child(serve, root):
    server = serve("--root", root)
    server.begin("query", files=["a.jfr"], sql=SLOW)
    wait_until(lambda: child_of(server.process.pid), "child")
    child = child_of(server.process.pid)
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(TIMEOUT_S)
    wait_until(lambda: not os.path.exists("/proc/%d" % child) or "zombie" in open("/proc/%d/status" % child, encoding="ascii").read(), "end")


def test_what_is_no_message_does_no_harm(serve, root):
    server = serve("--root", root)
    for line, code in [("nonsense", -32700), ("[]", -32600), ('{"id":1,"method":"none"}', -32601), ("x" * (1 << 21), -32600)]:
        assert server.ask(line)["error"]["code"] == code
    server.send("")
    assert not server.call("list_files")["isError"]
    # More calls than can wait: each has its answer, and those beyond are refused.
    begun = [server.begin("list_jvms") for _ in range(100)]
    answers = [json.loads(server.process.stdout.readline()) for _ in begun]
    assert sorted(answer["id"] for answer in answers) == begun
    assert {answer["error"]["message"] for answer in answers if "error" in answer} <= {"too many calls wait already"}
    server.end()


CLIENT = """
import asyncio, json, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main():
    async with stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp", "--root", sys.argv[2]])) as (reader, writer):
        async with ClientSession(reader, writer) as session:
            begun = await session.initialize()
            tools = (await session.list_tools()).tools
            report = await session.call_tool("profile_report", {"file": "a.jfr", "top": 3})
            jvms = await session.call_tool("list_jvms", {})
            wrong = await session.call_tool("profile_report", {"file": "none"})
            print(json.dumps({"server": begun.serverInfo.name, "tools": [tool.name for tool in tools], "report": report.content[0].text,
                              "jvms": jvms.structuredContent["data"], "wrong": wrong.isError}))

asyncio.run(main())
"""


def test_the_protocol_s_own_client_finds_no_fault(hprof, root):
    python = foreign.pypi("mcp", "1.30.0")
    done = subprocess.run([python, "-c", CLIENT, hprof, root], stdout=subprocess.PIPE, check=True, text=True, timeout=TIMEOUT_S)
    said = json.loads(done.stdout)
    assert said["server"] == "hprof" and {"query", "heap", "list_jvms"} <= set(said["tools"]) and said["wrong"]
    assert "methods by their own time" in said["report"] and "jvms" in said["jvms"]
