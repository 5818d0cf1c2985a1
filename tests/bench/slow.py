#!/usr/bin/env python3
"""slow - what a slow file or peer costs the program: how many threads it starts and ends in a time, as ratios.

The program starts and joins threads, each of which is two records of the profile. It runs without an agent, into a file,
to a peer that reads all, to one that reads 64 KB/s, to one that reads nothing, and into a pipe that nobody reads; in turn, round
after round. Printed are medians of each run's threads to those of the bare run of its own round. JDK 8's own agent does
the same, where it is. A run that has not ended after four times its time is 0: the program stands still.
Usage: slow.py [--seconds N] [--rounds N] [--jdk NUMBER ...]
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import contextlib
import os
import pathlib
import socket
import statistics
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests/jdk"))
import conftest  # noqa: E402 pylint: disable=wrong-import-position

SLOW_BYTES = 65536


@contextlib.contextmanager
def peer(bytes_per_second):
    """net=... of a peer that reads so much; None: as fast as it can."""
    server = socket.create_server(("127.0.0.1", 0))
    if bytes_per_second is not None:  # what the kernel keeps would hide it
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    over = threading.Event()

    def take():
        connection, _ = server.accept()
        with connection:
            if bytes_per_second == 0:
                over.wait()
            while connection.recv(1 << 20 if bytes_per_second is None else bytes_per_second // 16):
                if bytes_per_second is not None and over.wait(1 / 16):
                    break

    thread = threading.Thread(target=take, daemon=True)
    thread.start()
    yield "net=127.0.0.1:%d" % server.getsockname()[1]
    over.set()
    server.close()


@contextlib.contextmanager
def file(folder):
    yield "file=%s" % (folder / "profile.txt")


@contextlib.contextmanager
def full_pipe(_):
    reader, writer = os.pipe()  # by its number: the old agent would put a file in the place of a FIFO
    os.set_inheritable(writer, True)
    yield "file=/dev/fd/%d" % writer
    os.close(reader)
    os.close(writer)


WAYS = {"a file": file, "a peer that reads all": lambda folder: peer(None),
        "a peer that reads 64 KB/s": lambda folder: peer(SLOW_BYTES), "a peer that reads nothing": lambda folder: peer(0),
        "a pipe that nobody reads": full_pipe}


def run(jdk, agent, option, seconds, classes):
    """How many threads the program started. It has printed that before the end of the JVM, which may have to wait."""
    argv = [jdk.tool("java"), "-Xmx256m"]
    if agent:
        argv.append("-agentpath:%s=cpu=samples,%s" % (agent, option))
    with subprocess.Popen(argv + ["-cp", classes, "ThreadChurn", str(seconds)], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, close_fds=False, env=conftest.clean_environment()) as java:
        timer = threading.Timer(4 * (seconds + 1), java.kill)
        timer.start()
        line = java.stdout.readline()
        timer.cancel()
        java.kill()
        return int(line or 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jdk", type=int, nargs="*", default=[8, 25])
    args = parser.parse_args()
    ours = ROOT / os.environ.get("HPROF_BUILD", "build") / "src/agent/libhprof.so"
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([conftest.JDKS[min(conftest.JDKS)].tool("javac"), "-d", name,
                        str(HERE / "programs/ThreadChurn.java")], check=True)
        print("| JDK, agent | threads without | %s |" % " | ".join(WAYS))
        print("| --- " * (len(WAYS) + 2) + "|", flush=True)
        for number in args.jdk:
            jdk = conftest.JDKS[number]
            agents = {"hprof": ours, "its own": jdk.original_agent}
            for agent in [word for word, path in agents.items() if path]:
                bare, ratios = [], {way: [] for way in WAYS}
                for _ in range(args.rounds):
                    bare.append(run(jdk, None, "", args.seconds, name))
                    for way, make in WAYS.items():
                        with make(folder) as option:
                            ratios[way].append(run(jdk, agents[agent], option, args.seconds, name) / bare[-1])
                print("| %d %s | %d | %s |" % (number, agent, statistics.median(bare), " | ".join(
                    "%.2f" % statistics.median(ratios[way]) for way in WAYS)), flush=True)


if __name__ == "__main__":
    main()
