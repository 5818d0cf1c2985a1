"""The other side of net=host:port for the tests: takes what comes, sends commands.

SPDX-License-Identifier: Apache-2.0
"""
import re
import socket
import struct
import threading

from conftest import TIMEOUT_S, wait_until

GC, HEAP, SITES, SUMMARY, EXIT, TRACES, SAMPLES, CONTROL = range(1, 9)
ALLOC_ON, ALLOC_OFF, ON, OFF, CLEAR_SAMPLES, CLEAR_SITES, DEPTH = range(1, 8)
QUALITY = re.compile(r"(?m)^  hprof quality\n((?:  \S.*\n)+)")


class Peer:
    """Listens at `port` of `host`. Nothing is read until read() is called, if `reads` is false."""

    def __init__(self, host="127.0.0.1", reads=True, window=None):
        self.server = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
        if window:
            self.server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        self.server.bind((host, 0))
        self.server.listen(4)
        self.server.settimeout(TIMEOUT_S)
        self.port = self.server.getsockname()[1]
        self.option = "net=%s:%d" % ("[%s]" % host if ":" in host else host, self.port)
        self.connection, self.received, self.is_over, self.sequence = None, b"", False, 0
        self.failure, self.lock = None, threading.Lock()
        self.thread = threading.Thread(target=self.take, daemon=True)
        self.may_read = threading.Event()
        self.connected = threading.Event()
        if reads:
            self.may_read.set()
        self.thread.start()

    def take(self):
        try:
            self.connection, _ = self.server.accept()
            self.connected.set()
            self.may_read.wait(TIMEOUT_S)
            while True:
                data = self.connection.recv(65536)
                if not data:
                    break
                with self.lock:
                    self.received += data
        except OSError as error:
            self.failure = error
        self.is_over = True

    def accepted(self):
        """The connection; the agent may have made it before the thread here has taken it."""
        assert self.connected.wait(TIMEOUT_S)
        return self.connection

    def read(self):
        self.accepted().setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.may_read.set()

    @property
    def data(self):
        with self.lock:
            return self.received

    @property
    def text(self):
        return self.data.decode("utf-8", "surrogateescape")

    def wait_for(self, condition, what):
        wait_until(condition, what, lambda: self.is_over,
                   lambda: "the peer got %r ... (%s)" % (self.data[-2000:], self.failure))

    def wait_for_text(self, text, count=1):
        self.wait_for(lambda: self.data.count(text.encode()) >= count, repr(text))

    def raw(self, data):
        self.accepted().sendall(data)

    def send(self, tag, body=b""):
        self.sequence += 1
        self.raw(struct.pack(">BII", tag, self.sequence, len(body)) + body)

    def samples(self, cutoff=0.0):
        """Asks for a table of CPU samples, waits for it, and returns the stream so far up to its end."""
        count = self.data.count(b"CPU SAMPLES END\n")
        self.send(SAMPLES, struct.pack(">Hf", 0, cutoff))
        self.wait_for_text("CPU SAMPLES END\n  hprof quality\n", count + 1)
        self.wait_for_text("agent_cpu_ms = ", count + 1)
        return self.text[:self.text.rindex("\n") + 1]

    def control(self, op, body=b""):
        self.send(CONTROL, struct.pack(">H", op) + body)

    def send_no_more(self):
        self.accepted().shutdown(socket.SHUT_WR)

    def close(self):
        self.accepted().shutdown(socket.SHUT_RDWR)
        self.connection.close()

    def end(self):
        """All of the stream, when the agent has closed it."""
        self.thread.join(TIMEOUT_S)
        assert self.is_over and not self.failure, self.failure
        return self.data

    def done(self):
        self.may_read.set()
        self.server.close()
        if self.connection:
            self.connection.close()


def without_quality(text):
    """The stream of a text profile without the blocks of quality counts, and those counts, a dict each."""
    head, dashes, body = text.partition("\n--------\n")
    counts = [dict((name, int(count)) for name, count in re.findall(r"(?m)^  (\w+) = (\d+)", block))
              for block in QUALITY.findall(body)]
    return head + dashes + QUALITY.sub("", body), counts
