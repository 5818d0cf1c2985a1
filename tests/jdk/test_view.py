"""`hprof view`: who may ask it for what. No JVM takes part, the profile is a file of the tests; the browser is this script.

SPDX-License-Identifier: Apache-2.0
"""
import http.client
import os
import pathlib
import re
import signal
import socket
import subprocess
import time
import urllib.parse

import pytest

from conftest import ROOT, wait_until

PROFILE = ROOT / "tests/data/jfr/times.jfr"
WAIT_S = 30


@pytest.fixture
def view(hprof):
    """Starts it; the address that it prints, taken apart."""
    children = []

    def start(*options):
        child = subprocess.Popen([str(word) for word in (hprof, "view", "--no-open", *options, PROFILE)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        children.append(child)
        return child, urllib.parse.urlsplit(child.stdout.readline().strip())
    yield start
    for child in children:
        child.kill()
        child.communicate()


def ask(address, path=None, method="GET", **fields):
    """(status, header, body) of a request; fields are of its header, with underscores."""
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=WAIT_S)
    connection.request(method, address.path if path is None else path,
                       headers={name.replace("_", "-"): value for name, value in fields.items()})
    answer = connection.getresponse()
    return answer.status, answer.headers, answer.read().decode()


def test_the_page_is_below_a_name_that_nobody_can_guess(view):
    _, address = view()
    assert address.hostname == "127.0.0.1" and len(address.path) == 34
    status, header, body = ask(address)
    assert status == 200 and body.startswith("<!doctype html>") and "test.Work" in body
    assert header["Referrer-Policy"] == "no-referrer" and header["Access-Control-Allow-Origin"] is None
    other = address.path[:-2] + ("0" if address.path[-2] != "0" else "1") + "/"
    for path in ("/", other, address.path[:-1], address.path + "x", address.path + "profile.json", address.path + "open?frame=a"):
        assert ask(address, path)[0] == 404, path


def test_a_name_that_leads_here_from_elsewhere_gets_nothing(view):
    _, address = view()
    for host in ("evil.example", "evil.example:%d" % address.port, "127.0.0.1", "localhost:1", ""):
        assert ask(address, Host=host)[0] == 403, host
    assert ask(address, Host="localhost:%d" % address.port)[0] == 200


def test_bytes_that_are_no_request_are_refused_and_hold_up_nobody(view):
    _, address = view()
    silent = [socket.create_connection((address.hostname, address.port)) for _ in range(20)]
    for sent, status in ((b"\0" * 100, b"400"), (b"GET " + b"a" * 9000, b"431"), (b"GET /%zz HTTP/1.1\r\n\r\n", b"400"),
                         (b"POST / HTTP/1.1\r\n\r\n", b"405"), (b"GET / HTTP/1.1\r\n\r\n", b"403"), (b"\r\n\r\n", b"405")):
        with socket.create_connection((address.hostname, address.port), timeout=WAIT_S) as peer:
            peer.sendall(sent)
            assert peer.recv(100).split(b" ")[1] == status, sent[:20]
    assert ask(address)[0] == 200
    for peer in silent:
        peer.close()


def test_the_firefox_profiler_and_no_other_site_may_read_its_profile(view):
    _, address = view("--firefox")
    assert address.netloc == "profiler.firefox.com" and address.path.startswith("/from-url/http%3A%2F%2F127.0.0.1")
    profile = urllib.parse.urlsplit(urllib.parse.unquote(address.path[len("/from-url/"):]))
    status, header, body = ask(profile, Origin="https://profiler.firefox.com")
    assert status == 200 and header["Content-Type"] == "application/json" and '"preprocessedProfileVersion"' in body
    assert header["Access-Control-Allow-Origin"] == "https://profiler.firefox.com"
    status, header, body = ask(profile, method="OPTIONS", Access_Control_Request_Private_Network="true")
    assert status == 204 and header["Access-Control-Allow-Private-Network"] == "true" and body == ""
    assert ask(profile, method="HEAD")[::2] == (200, "")


def test_an_application_of_ones_own_is_served_and_nothing_beside_it(view, tmp_path):
    app = tmp_path / "app"
    app.mkdir()
    (app / "index.html").write_text("first page")
    (app / "x.js").write_text("script")
    (tmp_path / "secret").write_text("secret")
    (app / "link").symlink_to(tmp_path / "secret")
    _, address = view("--app", app)
    assert address.path.startswith("/from-url/")
    status, header, body = ask(address, "/x.js")
    assert (status, body) == (200, "script") and header["Content-Type"].startswith("text/javascript")
    for path in (address.path, "/../secret", "/%2e%2e/secret", "/link", "/"):
        assert ask(address, path)[2] == "first page", path


@pytest.mark.skipif(os.getuid() != 0, reason="only root can ask as another user")
def test_another_user_who_has_read_the_address_gets_nothing(view):
    _, address = view()
    child = os.fork()
    if child == 0:
        try:
            os.setuid(65534)
            os._exit(0 if ask(address)[0] == 403 else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0 and ask(address)[0] == 200


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_who_connects_over_ipv6_is_known_too(view):
    _, address = view()
    with socket.socket(socket.AF_INET6) as peer:
        peer.settimeout(WAIT_S)
        peer.connect(("::ffff:127.0.0.1", address.port))
        peer.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (address.path.encode(), address.netloc.encode()))
        assert peer.recv(15) == b"HTTP/1.1 200 OK"


def test_a_peer_that_takes_nothing_holds_up_nobody(view, tmp_path):
    """The answers are longer than what any system keeps for a connection."""
    app = tmp_path / "app"
    app.mkdir()
    (app / "index.html").write_text("first page")
    with open(app / "long", "wb") as file:
        file.truncate(1 << 28)
    _, address = view("--app", app)
    with socket.create_connection((address.hostname, address.port), timeout=WAIT_S) as slow:
        slow.sendall(b"GET /long HTTP/1.1\r\nHost: %s\r\n\r\n" % address.netloc.encode())
        assert slow.recv(15) == b"HTTP/1.1 200 OK"
        with socket.create_connection((address.hostname, address.port), timeout=WAIT_S / 3) as other:
            other.sendall(b"GET / HTTP/1.1\r\nHost: %s\r\n\r\n" % address.netloc.encode())
            assert other.recv(15) == b"HTTP/1.1 200 OK"
        left = (1 << 28) - 15
        while chunk := slow.recv(1 << 20):
            left -= len(chunk)
        assert -1000 < left < 0


def test_a_frame_opens_in_an_editor_without_a_shell(view, tmp_path):
    (tmp_path / "test").mkdir()
    (tmp_path / "test/Work.java").write_text("\n" * 50)
    editor, said = tmp_path / "editor", tmp_path / "said"
    editor.write_text('#!/bin/sh\nprintf "%%s\\n" "$@" >%s.new && mv %s.new %s\n' % (said, said, said))
    editor.chmod(0o755)
    child, address = view("--source", tmp_path, "--editor", "%s {file} --line={line} $(touch /tmp) ;" % editor)
    assert address.query == "edit" and "id=\"source\"" in ask(address)[2]
    assert ask(address, address.path + "open?frame=test.Work.run")[0] == 204
    end = time.monotonic() + WAIT_S
    while not said.exists() and time.monotonic() < end:
        time.sleep(.05)
    assert said.read_text().split("\n")[:5] == [str(tmp_path / "test/Work.java"), "--line=12", "$(touch", "/tmp)", ";"]
    assert ask(address, address.path + "open?frame=no.Such")[0] == 204 and ask(address, "/open?frame=test.Work.run")[0] == 404
    child.terminate()
    assert "no source of 'no.Such'" in child.communicate()[1]


def test_an_editor_hears_of_its_own_children(view, tmp_path):
    (tmp_path / "test").mkdir()
    (tmp_path / "test/Work.java").write_text("\n" * 50)
    _, address = view("--source", tmp_path, "--editor", "cp /proc/self/status %s" % (tmp_path / "said"))
    ask(address, address.path + "open?frame=test.Work.run")
    end, ignored = time.monotonic() + WAIT_S, None
    while not ignored and time.monotonic() < end:
        time.sleep(.05)
        ignored = (tmp_path / "said").exists() and re.search(r"^SigIgn:\s*(\w+)\n", (tmp_path / "said").read_text(), re.M)
    assert not int(ignored[1], 16) >> (signal.SIGCHLD - 1) & 1


def test_it_ends_when_nobody_asks(view):
    child, address = view("--idle", "300ms")
    assert ask(address)[0] == 200
    assert child.wait(timeout=WAIT_S) == 0


def test_a_preflight_keeps_it_no_longer(view):
    child, address = view("--idle", "300ms")
    end = time.monotonic() + WAIT_S
    while child.poll() is None and time.monotonic() < end:
        try:
            ask(address, method="OPTIONS")
        except OSError:
            break
        time.sleep(.05)
    assert child.wait(timeout=WAIT_S) == 0 and time.monotonic() < end


@pytest.mark.skipif(os.geteuid() != 0, reason="takes root")
def test_who_has_closed_is_nobody(view, tmp_path):
    """The kernel calls the owner of a closed socket 0: another user who closes behind the request is not root."""
    editor, opened = tmp_path / "editor", tmp_path / "opened"
    editor.write_text("#!/bin/sh\necho >>%s\n" % opened)
    editor.chmod(0o755)
    (tmp_path / "test").mkdir()
    (tmp_path / "test/Work.java").write_text("class Work {}\n")
    child, address = view("--editor", "%s {file}" % editor, "--source", tmp_path)
    request = "GET %sopen?frame=test.Work.run HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % (address.path, address.port)
    request = request.encode()
    "a".encode("idna")  # who connects loads that, and the other user may not
    child.send_signal(signal.SIGSTOP)  # until the other end of each is closed
    other = os.fork()
    if other == 0:
        try:
            os.setgroups([])
            os.setresuid(65534, 65534, 65534)
            for _ in range(5):
                with socket.socket() as peer:
                    peer.connect((address.hostname, address.port))
                    peer.sendall(request)
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitpid(other, 0)[1] == 0
    # The kernel takes a moment to let go of the user.
    closing = re.compile(r" 0100007F:%04X 0[14] " % address.port)
    wait_until(lambda: not closing.search(pathlib.Path("/proc/self/net/tcp").read_text()), "end of the connections")
    child.send_signal(signal.SIGCONT)
    assert ask(address, address.path + "open?frame=test.Work.run")[0] == 204
    # The end of an editor is waited for by nobody.
    editors = pathlib.Path("/proc/%d/task/%d/children" % (child.pid, child.pid))
    wait_until(lambda: opened.exists() and not editors.read_text(), "editor")
    assert opened.read_text() == "\n" and child.poll() is None


def test_a_browser_that_closes_early_ends_nothing(view, tmp_path):
    app = tmp_path / "app"
    app.mkdir()
    (app / "index.html").write_text("page")
    with open(app / "large.js", "wb") as large:
        large.truncate(64 << 20)
    child, address = view("--app", app)
    for _ in range(20):
        with socket.socket() as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            peer.connect((address.hostname, address.port))
            peer.sendall(b"GET /large.js HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % address.port)
            assert peer.recv(100)
            peer.shutdown(socket.SHUT_WR)  # what is left unread at the close breaks the pipe then
        assert ask(address, "/")[0] == 200 and child.poll() is None
