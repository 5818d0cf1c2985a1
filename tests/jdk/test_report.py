"""What `hprof run` and `hprof report` make of files of real JVMs: which program it was, and no frames that only the VM knows.

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import zipfile

import hprof_text
import pytest
from conftest import TIMEOUT_S, clean_environment

FRAMES_OF_THE_VM = re.compile(r"\$\$Lambda|LambdaForm\$D?MH|reflect\.(Native|Delegating|Direct|Generated)\w+Accessor|\$Holder\.")


def run(argv, folder, status=0):
    done = subprocess.run([str(word) for word in argv], cwd=str(folder), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=clean_environment(), timeout=TIMEOUT_S, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout.decode() + done.stderr.decode()


@pytest.mark.parametrize("form", ["a", "b"], ids=["text", "binary"])
def test_frames_of_the_vm_are_folded_and_kept(jdk, agent, hprof, classes, tmp_path, form):
    said = run([hprof, "run", "-f", form, "-i", "1ms", "-o", "out", "-n", 1000, "--agent", agent, "--", jdk.tool("java"),
                "-cp", classes, "Hidden", "/a/secret.jar"], tmp_path)
    assert re.search(r"^hprof: process \d+: .*/out, of Hidden$", said, re.M) and "Hidden.work" in said
    assert not FRAMES_OF_THE_VM.search(said), said
    folded = run([hprof, "report", "-n", 1000, "-t", 1000, "out"], tmp_path)
    shown = run([hprof, "report", "-n", 1000, "-t", 1000, "--hidden", "out"], tmp_path)
    assert folded.startswith("out (hprof-%s), of Hidden\n" % ("text" if form == "a" else "binary"))
    assert not FRAMES_OF_THE_VM.search(folded), folded
    assert "$$Lambda" in shown and "Accessor" in shown
    assert b"secret" not in (tmp_path / "out").read_bytes()


@pytest.mark.jdks(8, "newest")
def test_a_jar_has_its_name(jdk, agent, hprof, classes, tmp_path):
    folder = tmp_path / "with blanks in it"
    folder.mkdir()
    with zipfile.ZipFile(folder / "app.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\nMain-Class: Hello\n")
        jar.write(classes / "Hello.class", "Hello.class")
    said = run([hprof, "run", "-o", "out.txt", "--agent", agent, "--", jdk.tool("java"), "-jar", folder / "app.jar", "word"], tmp_path)
    assert re.search(r"^hprof: process \d+: .*/out\.txt, of app\.jar$", said, re.M), said


@pytest.mark.jdks(8, "newest")
def test_what_the_agent_measured_is_written_again_to_the_last_digit(jdk, run_java, hprof):
    ended = run_java(jdk, "cpu=times,cutoff=0,depth=8,file=a.txt", "Calls", "recursion", "exceptions", "threads")
    run([hprof, "report", "-o", "b.txt", "a.txt"], ended.cwd)
    run([hprof, "report", "-o", "c.txt", "b.txt"], ended.cwd)
    first, second = (hprof_text.Text(ended.text(name)) for name in ("a.txt", "c.txt"))
    assert first.exact and first.exact == second.exact
    assert [table.rows for table in first.tables] == [table.rows for table in second.tables]
    assert first.quality() == second.quality()
    assert run([hprof, "report", "a.txt"], ended.cwd).split("\n")[1:] == run([hprof, "report", "c.txt"], ended.cwd).split("\n")[1:]


@pytest.mark.jdks("newest")
def test_sites_and_samples_go_from_text_to_binary_and_back(jdk, run_java, hprof):
    ended = run_java(jdk, "cpu=samples,interval=1,heap=sites,cutoff=0,file=a.txt", "Alloc")
    run([hprof, "report", "-o", "b.hprof", "a.txt"], ended.cwd)
    run([hprof, "report", "-o", "c.txt", "b.hprof"], ended.cwd)
    shown = [sorted(run([hprof, "report", "-v", "-n", 10000, name], ended.cwd).split("\n")[1:]) for name in ("a.txt", "b.hprof", "c.txt")]
    assert shown[0] == shown[1] == shown[2]
