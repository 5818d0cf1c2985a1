"""Cores of JVMs of aarch64, made on another CPU: the emulator writes them when an emulated program ends by a signal.

They have the memory, the registers of all threads and the auxiliary vector, as the kernel writes them, but not the list of mapped
files (NT_FILE). That is added here from what the kernel says of the emulator's process, whose addresses are the program's plus one
number.
SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import resource
import signal
import struct

from conftest import TIMEOUT_S

PT_NOTE, NT_AUXV, NT_FILE, AT_PHDR = 4, 6, 0x46494C45, 3
EHDR_BYTES, PHDR_BYTES, PAGE = 64, 56, 4096


def mapped_files(pid):
    """(start, end, offset, path) of each mapped file of a process."""
    text = pathlib.Path("/proc/%d/maps" % pid).read_text()
    rows = re.findall(r"^(\w+)-(\w+) \S+ (\w+) \S+ \d+ +(/.*)$", text, re.M)
    return [(int(start, 16), int(end, 16), int(offset, 16), path) for start, end, offset, path in rows]


def notes_of(data):
    at = 0
    while at + 12 <= len(data):
        name_bytes, bytes_, kind = struct.unpack_from("<III", data, at)
        begin = at + 12 + (name_bytes + 3) // 4 * 4
        yield kind, data[begin:begin + bytes_]
        at = begin + (bytes_ + 3) // 4 * 4


def note(kind, data):
    return struct.pack("<III8s", 5, len(data), kind, b"CORE") + data + b"\0" * (-len(data) % 4)


def file_note(files, shift):
    rows = b"".join(struct.pack("<QQQ", start - shift, end - shift, offset // PAGE) for start, end, offset, _ in files)
    names = b"".join(path.encode() + b"\0" for _, _, _, path in files)
    return note(NT_FILE, struct.pack("<QQ", len(files), PAGE) + rows + names)


def add_files(core, files, program):
    """Gives the core the list; `program` is the path of what the emulator runs."""
    with open(core, "r+b") as file:
        head = file.read(EHDR_BYTES)
        table, count = struct.unpack_from("<Q", head, 32)[0], struct.unpack_from("<H", head, 56)[0]
        for i in range(count):
            file.seek(table + i * PHDR_BYTES)
            row = bytearray(file.read(PHDR_BYTES))
            if struct.unpack_from("<I", row)[0] == PT_NOTE:
                break
        offset, size = struct.unpack_from("<Q", row, 8)[0], struct.unpack_from("<Q", row, 32)[0]
        file.seek(offset)
        notes = file.read(size)
        auxv = next(data for kind, data in notes_of(notes) if kind == NT_AUXV)
        headers = dict(struct.iter_unpack("<QQ", auxv))[AT_PHDR]
        start = next(start for start, _, at, path in files if path == program and at == 0)
        notes += file_note(files, start - (headers - EHDR_BYTES))
        end = file.seek(0, 2)
        file.write(notes)
        struct.pack_into("<Q", row, 8, end)
        struct.pack_into("<Q", row, 32, len(notes))
        file.seek(table + i * PHDR_BYTES)
        file.write(row)


def make_core(jdk, start_java, *args, before, vm=()):
    """(core, what `before` said of the JVM) of a JVM that ran the program of `args` and was killed when it had said "ready"."""
    limits = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (limits[1], limits[1]))
    try:
        java = start_java(jdk, None, *args, vm=("-Xmx32m", "-XX:ErrorFile=/dev/null", *vm))
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, limits)
    java.wait_for_stdout("ready")
    program, said = jdk.tool("java") + ".aarch64", before(java)
    files = mapped_files(java.pid)
    java.signal(signal.SIGSEGV)
    java.process.wait(TIMEOUT_S)
    core, = java.cwd.glob("*.core")
    add_files(core, files, program)
    return core, said
