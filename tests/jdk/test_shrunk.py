"""A file that becomes shorter while the command reads it: one line, status 1, no signal.

No JVM takes part. SPDX-License-Identifier: Apache-2.0
"""
import struct
import subprocess

import pytest
from conftest import TIMEOUT_S, clean_environment, compile_library

HEAD = "JAVA PROFILE 1.0.1, created Sun Nov  1 12:00:00 2026\n\n"
ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
PT_NOTE, ET_CORE, X86_64, FAR = 4, 4, 62, 1 << 16
CORE = ELF_HEADER.pack(b"\x7fELF\x02\x01\x01", ET_CORE, X86_64, 1, 0, ELF_HEADER.size, 0, 0, ELF_HEADER.size,
                       PROGRAM_HEADER.size, 1, 0, 0, 0) + PROGRAM_HEADER.pack(PT_NOTE, 4, FAR, 0, 0, 4096, 4096, 4)


@pytest.mark.parametrize("command, content", [
    ("report", (HEAD + "# a line that says nothing\n" * 10000).encode()),
    ("stack", CORE + bytes(2 * FAR)),
], ids=["report", "stack"])
def test_a_file_that_shrinks_is_an_error_that_names_it(hprof, tmp_path, tmp_path_factory, command, content):
    preload = compile_library(tmp_path_factory, "shrink")
    path = tmp_path / "a\x1bfile"
    path.write_bytes(content)
    done = subprocess.run([hprof, command, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False,
                          env=clean_environment({"LD_PRELOAD": str(preload), "SHRINK": str(path)}))
    assert done.returncode == 1, done
    assert done.stderr == "hprof: %s/a?file: it became shorter while it was read; wait until whoever writes it has " \
        "finished, then try again\n" % tmp_path
