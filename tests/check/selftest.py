#!/usr/bin/env python3
"""selftest - every check can fail: a small tree that all accept, then one violation at a time.

A finding is a check that missed its violation, or refused the good tree. Needs cc and ar; cases of
clang-format and clang-tidy are skipped where the right version is missing. -v names each case.
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SPDX = "SPDX-License-Identifier: Apache-2.0"
HEAD = "/*\n * A file of the tree that tests the checks.\n * " + SPDX + "\n */\n"
ENTRIES = "Agent_OnLoad Agent_OnAttach Agent_OnUnload Java_hprof_Bridge_bind"

GOOD = {
    "src/LAYERS": "# folder: the folders it may use\nsafe:\nbase: safe\nkind:\nprofile: base\nagent: safe base\nmetrics:\ndoctor:\ncli: base\n",
    "src/safe/README": "What runs in a handler.\n",
    "src/safe/meson.build": "lib = static_library('safe', 'cell.c')\n",
    "src/safe/poison.h": HEAD + "#pragma once\n#pragma GCC poison malloc\n",
    "src/safe/cell.h": HEAD + "#pragma once\n#include <stddef.h>\nsize_t cell_size(const char *s);\n",
    "src/safe/cell.c": HEAD + '#include "cell.h"\n#include <string.h>\n\n'
                       "size_t cell_size(const char *s)\n{\n    return strlen(s);\n}\n",
    "src/base/README": "Bytes.\n",
    "src/base/meson.build": "lib = static_library('base', 'grow.c', 'fast_@0@.c'.format(cpu))\n",
    "src/base/fast_x86_64.c": HEAD,
    "src/base/grow.h": HEAD + "#pragma once\nint grow_by(int n);\n",
    "src/base/grow.c": HEAD + '#include "grow.h"\n#include "safe/cell.h"\n\n'
                       "int grow_by(int n)\n{\n    return n + (int)cell_size(\"x\");\n}\n",
    "src/agent/README": "The agent.\n",
    "src/meson.build": "engines = ['cpu']\n",
    "src/agent/meson.build": "foo = 'entry.c'\n",
    "src/agent/entry.c": HEAD + "#define SHOW __attribute__((visibility(\"default\")))\n" + "".join(
        "SHOW int %s(void);\nSHOW int %s(void)\n{\n    return 0;\n}\n" % (e, e) for e in ENTRIES.split())
                       + "extern __thread long otel_thread_ctx_v1;\nSHOW __thread long otel_thread_ctx_v1;\n",
    "src/agent/budget.def": 'SHARE(RING, 1, "of mem=", "the ring")\nSHARE(MODEL, 63, "of mem=", "the model")\n'
                            'SHARE(SITES, 2, "heap=", "sites")\n',
    "src/kind/README": "The kinds.\n",
    "src/kind/meson.build": "lib = static_library('kind', 'kind_sample.c')\n",
    "src/kind/kind.def": "/* KIND(NAME, name) */\nKIND(SAMPLE, sample)\nKIND(GC, gc)\n",
    "src/kind/kind_sample.c": HEAD + '/* .passed = "lost" */\n',
    "src/profile/README": "The model.\n",
    "src/profile/meson.build": "lib = static_library('profile', 'quality.c')\n",
    "src/profile/quality.def": 'QUALITY(LOST, "lost", LOST, "lost", "Samples that were lost.", "raise mem=")\n'
                               'QUALITY(SAMPLES, "samples", HEAD, NULL,\n        "All samples.", NULL)\n',
    "src/profile/quality.c": HEAD + "/* The two that are set: */\nenum { QUALITY_LOST, QUALITY_SAMPLES };\n",
    "src/safe/walk_cause.def": 'WALK(FAULT, "fault", "bad memory")\n',
    "src/metrics/README": "Metrics.\n",
    "src/metrics/meson.build": "lib = static_library('metrics', 'metric.c')\n",
    "src/metrics/metric.def": 'METRIC(UP, "hprof.up", GAUGE, SECONDS, "a.b, c", "/proc", "never", "Up")\n',
    "src/metrics/metric.c": HEAD + "/* It is set: */\nenum { METRIC_UP };\n",
    "src/doctor/README": "The doctor.\n",
    "src/doctor/meson.build": "lib = static_library('doctor', 'doctor_fact.c')\n",
    "src/doctor/doctor_fact.def": 'FACT(UPTIME, "uptime", "/proc")\n',
    "src/doctor/doctor_rule.def": 'RULE(OLD, "old", SECONDS, NEVER, 1, 2.5, "uptime", "It is old.", "hprof info PID")\n',
    "src/doctor/doctor_fact.c": HEAD + "/* It is set: */\nenum { DOCTOR_UPTIME };\n",
    "docs/doctor.md": "| rule | note | warning | severe | what it means | facts | next command |\n| --- | --- | --- | --- | --- | --- | --- |\n"
                      "| `old` |  | 1 s | 2.5 s | It is old. | uptime | `hprof info PID` |\n\n"
                      "| fact | from |\n| --- | --- |\n| `uptime` | /proc |\n\n",
    "docs/metrics.md": "| metric | type | unit | labels | from | absent, or not of this moment |\n| --- | --- | --- | --- | --- | --- |\n"
                       "| `hprof.up` | gauge | seconds | `a.b`, `c` | /proc | never |\n",
    "docs/quality.md": "| count | what it means | what to do |\n| --- | --- | --- |\n| `lost` | Samples that were lost. | raise mem= |\n"
                       "| `samples` | All samples. |  |\n| `fault` | bad memory |  |\n",
    "docs/jvmpi-tests.md": "| sentence | test |\n| --- | --- |\n| It is so | no test: nobody can tell |\n",
    "docs/memory.md": "| 64ths | for | what |\n| --- | --- | --- |\n| 1 | `mem=` | the ring |\n"
                        "| 63 | `mem=` | the model |\n| 2 | `heap=` | sites |\n",
    "src/format/meson.build": "formats = ['plain_text']\n",
    "src/cli/README": "The command.\n",
    "src/cli/meson.build": "commands = [\n  'run',\n  'version', # last\n]\n",
    "tests/unit/meson.build": "tests = ['test_cell.c']\n",
    "tests/unit/test_cell.c": HEAD + "int main(void)\n{\n    return 0;\n}\n",
    "docs/man/hprof.1": ".TH HPROF 1 2026-01-01\n.SH COMMANDS\n.B version\ntakes\n.B \\-h\nand\n.B \\-\\-help\n",
    "docs/man/hprof-run.1": ".TH HPROF-RUN 1 2026-01-01\n.SH OPTIONS\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIF\\fR\nWhere.\n"
                            ".TP\n.BR \\-h \", \" \\-\\-help\nHelp.\n.SH NOTES\n.TP\n.B \\-\\-other\nNot ours.\n",
    "README.md": "# It\n\n```shell\nhprof run -- java\n```\n",
    "docs/man/hprof-top.1": ".TH HPROF-TOP 1 2026-01-01\n.SH OPTIONS\n.TP\n.BI \\-\\-sort\\  BY\n.BR cpu\nor\n.BR mem .\n",
    "docs/man/hprof-agent.7": ".TH HPROF-AGENT 7 2026-01-01\n.SH OPTIONS\n.TP\n.BR cpu= samples\nCPU.\n2 for\n.BR heap= .\n",
}
HPROF = """#!/bin/sh
case "$*" in
help) printf 'commands:\\n  run         Run\\n  version     Version\\n' ;;
"run --help") printf 'options:\\n  -o, --output F     where --not-an-option\\n  -h, --help         help\\n' ;;
"top --sort ?") echo "--sort '?': wanted is cpu or mem" >&2; exit 2 ;;
*) printf 'options:\\n  -h, --help         help\\n' ;;
esac
"""
DRY = """#!/bin/sh
case "$*" in
"hprof walk") echo "unknown command 'walk'" ;;
*gone=1*) echo "Unknown option: gone" ;;
*--gone*) echo "unknown option --gone" ;;
*-z*) echo "unknown option -z" ;;
*) exit 0 ;;
esac >&2
exit 2
"""
POINTER = ("#include <stddef.h>\n\nstruct spot {\n    void *at;\n};\nint grow_at(const struct spot *s, int n);\n"
           "int grow_at(const struct spot *s, int n)\n{\n")
MEASURED = "| JDK | ms | MB |\n| --- | --- | --- |\n| 17 | 12.5 | 3 |\n"
SENTENCES = "| sentence | test |\n| --- | --- |\n| It is so | %s |\n"
JAVA = "#!/bin/sh\ncase \"$1\" in -agentpath*) echo 'cpu=samples    CPU profile' ;; esac\n"


class Tree:
    """One temporary tree with its build folder."""

    def __init__(self, folder):
        self.root, self.build = folder, os.path.join(folder, "build")
        for path, text in GOOD.items():
            self.write(path, text)
        for name in (".clang-format", ".clang-tidy"):
            shutil.copy(os.path.join(ROOT, name), folder)
        self.write("build/hprof", HPROF, 0o755)
        self.write("build/tests/check/dry", DRY, 0o755)
        self.write("jdk/bin/java", JAVA, 0o755)
        self.link = ["-Wl,-z,now", "-Wl,-z,nodelete", "-Wl,-z,relro"]
        self.flags = ["-include", os.path.join(folder, "src/safe/poison.h"), "-ftls-model=initial-exec"]

    def write(self, path, text, mode=0o644):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        os.chmod(path, mode)

    def add(self, path, text):
        self.write(path, GOOD[path] + text)

    def swap(self, path, old, new):
        assert old in GOOD[path], (path, old)
        self.write(path, GOOD[path].replace(old, new))

    def make(self):
        """Compile src/ as the build would, and write compile_commands.json."""
        rows, objects = [], []
        for folder, _, names in sorted(os.walk(os.path.join(self.root, "src"))):
            for name in sorted(n for n in names if n.endswith(".c")):
                source = os.path.join(folder, name)
                output = os.path.join(self.build, os.path.basename(folder) + "_" + name + ".o")
                argv = ["cc", "-fPIC", "-fvisibility=hidden", "-I" + os.path.join(self.root, "src")]
                argv += self.flags if folder.endswith("safe") else []
                argv += ["-o", output, "-c", source]
                subprocess.run(argv, check=True, stderr=subprocess.DEVNULL)
                objects.append(output)
                rows.append({"directory": self.build, "file": source, "output": output, "arguments": argv})
        self.write("build/compile_commands.json", json.dumps(rows))
        archive = os.path.join(self.build, "src/safe/libsafe.a")
        os.makedirs(os.path.dirname(archive), exist_ok=True)
        subprocess.run(["ar", "rcs", archive] + [o for o in objects if "/safe_" in o], check=True)
        subprocess.run(["cc", "-shared", "-o", os.path.join(self.build, "libhprof.so")] + objects + self.link,
                       check=True)

    def check(self, name):
        done = subprocess.run([sys.executable, "-B", os.path.join(HERE, name + ".py"), self.root, self.build],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                              env=dict(os.environ, JAVA_HOME=os.path.join(self.root, "jdk")))
        return done.returncode, done.stdout


def executable_stack(t):
    t.link = t.link + ["-Wl,-z,execstack"]


def without(word):
    def change(t):
        t.link = [w for w in t.link if word not in w]
        if word == "now":
            t.link.append("-Wl,-z,lazy")
        if word == "relro":
            t.link.append("-Wl,-z,norelro")
    return change


def another_library(t):
    t.add("src/agent/entry.c", "double cos(double);\nint entry_cos(double x);\nint entry_cos(double x)\n"
          "{\n    return (int)cos(x);\n}\n")
    t.link = t.link + ["-Wl,--no-as-needed", "-lm"]


def another_interface(prefix, page, place, headers):
    """A library that exports another name than its header declares."""
    def change(t):
        for header in headers:
            t.write("include/" + header, HEAD)
        t.write("include/" + headers[0], HEAD + "int %sOne(void);\n" % prefix)
        t.write("two.c", "int NTwo(void);\nint NTwo(void)\n{\n    return 2;\n}\n".replace("N", prefix))
        t.write("docs/man/" + page, prefix + "Two\n")
        library = os.path.join(t.build, place)
        os.makedirs(os.path.dirname(library), exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", library, os.path.join(t.root, "two.c")] + t.link, check=True)
    return change


another_asgst = another_interface("ASGST_", "libasgst.3", "src/asgst/libasgst.so.1", ["asgst.h", "asgst_classic.h", "asgct.h", "asgst_ready.h"])
another_jfrlib = another_interface("hprof_jfr_", "libhprofjfr.3", "src/jfrlib/libhprofjfr.so.1", ["hprof_jfr.h"])


# (check, what the report must contain, the change that breaks the rule)
CASES = [
    ("layers", "src/base must not use src/agent",
     lambda t: (t.add("src/base/grow.c", '#include "agent/entry.h"\n'), t.write("src/agent/entry.h", HEAD))),
    ("layers", "src/base must not see jni.h", lambda t: t.add("src/base/grow.c", "#include <jni.h>\n")),
    ("layers", "src/tools has no row", lambda t: t.write("src/tools/hammer.c", HEAD)),
    ("layers", "no folder of src/LAYERS", lambda t: t.add("src/base/grow.c", '#include "shed/x.h"\n')),
    ("layers", "which is no row above it", lambda t: t.swap("src/LAYERS", "base: safe", "base: safe cli")),
    ("circles", "a circle of includes: one -> two -> one",
     lambda t: (t.write("src/agent/one.h", HEAD + '#pragma once\n#include "agent/two.h"\n'),
                t.write("src/agent/two.h", HEAD + '#pragma once\n#include "agent/one.h"\n'))),
    ("circles", "a circle of includes: one -> two/ -> one",
     lambda t: (t.write("src/agent/one.h", HEAD + '#pragma once\n#include "agent/two/two.h"\n'),
                t.write("src/agent/two/two_more.h", HEAD + '#pragma once\n#include "agent/one.h"\n'),
                t.write("src/agent/two/two.h", HEAD + "#pragma once\n"))),
    ("rows", "src/base/grow.c:12: names the row engine_cpu",
     lambda t: t.add("src/base/grow.c", "/* engine_cpu.c has it */\n")),
    ("rows", "src/cli/grown.c:5: names the row format_plain_text",
     lambda t: t.write("src/cli/grown.c", HEAD + "/* format_plain_text */\n")),
    ("rows", "reads the options of the engine cpu",
     lambda t: t.add("src/base/grow.c", "/* options_cpu_of() */\n")),
    ("rows", "includes a file of the engine cpu",
     lambda t: (t.write("src/agent/cpu/tick.h", HEAD + "#pragma once\n"),
                t.add("src/agent/entry.c", '#include "agent/cpu/tick.h"\n'))),
    ("rows", "says the word cpu=samples of an engine",
     lambda t: (t.write("src/options/options_cpu.c", HEAD + '/* .asked_by = "cpu=samples" */\n'),
                t.add("src/agent/entry.c", 'const char *s = "it needs cpu=samples";\n'))),
    ("rows", "the count lost has not the row's prefix",
     lambda t: t.write("src/agent/cpu/engine_cpu.c", HEAD + '/* recording_set_quality(r, "lost", 1) */\n')),
    ("rows", "src/base/grow.c:12: names the kind KIND_GC", lambda t: t.add("src/base/grow.c", "/* KIND_GC */\n")),
    ("rows", "src/cli/grown.c:5: names the kind kind_sample", lambda t: t.write("src/cli/grown.c", HEAD + "/* kind_sample */\n")),
    ("rows", "kind.def:1: no row can be read", lambda t: t.write("src/kind/kind.def", "X(SAMPLE, sample)\n")),
    ("signal_safety", "calls getenv",
     lambda t: t.add("src/safe/cell.c", "char *getenv(const char *);\nchar *cell_env(void);\n"
                     "char *cell_env(void)\n{\n    return getenv(\"x\");\n}\n")),
    ("signal_safety", "without -include poison.h", lambda t: setattr(t, "flags", t.flags[2:])),
    ("signal_safety", "thread-local variables that allocate", lambda t: setattr(t, "flags", t.flags[:2])),
    ("signal_safety", "a loop without a bound",
     lambda t: t.add("src/safe/cell.c", "void cell_spin(void);\nvoid cell_spin(void)\n{\n    for (;;)\n"
                     "        ;\n}\n")),
    ("signal_safety", "bytes of thread-locals",
     lambda t: t.add("src/base/grow.c", "__thread char grow_room[200] = {1};\n")),
    ("signal_safety", "needs __tls_get_addr",
     lambda t: t.add("src/base/grow.c", "extern __thread int grow_far __attribute__((visibility(\"default\")));\n"
                     "__thread int grow_far;\nint *grow_at(void);\nint *grow_at(void)\n{\n"
                     "    return &grow_far;\n}\n")),
    ("exports", "exports entry_more", lambda t: t.add("src/agent/entry.c", "SHOW int entry_more;\n")),
    ("exports", "does not export Agent_OnAttach",
     lambda t: t.swap("src/agent/entry.c", "SHOW int Agent_OnAttach", "int Agent_OnAttach")),
    ("exports", "needs libm", another_library),
    ("exports", "binds lazily", without("now")),
    ("exports", "can be unloaded", without("nodelete")),
    ("exports", "no RELRO", without("relro")),
    ("exports", "executable stack", executable_stack),
    ("exports", "needs a glibc newer than 2.28: gettid (2.30)",
     lambda t: t.add("src/agent/entry.c", "int gettid(void);\nint entry_id(void);\nint entry_id(void)\n{\n    return gettid();\n}\n")),
    ("musl", "musl does not load it: ",
     lambda t: t.add("src/base/grow.c", "__thread int grow_far __attribute__((tls_model(\"initial-exec\")));\nint *grow_at(void);\n"
                     "int *grow_at(void)\n{\n    return &grow_far;\n}\n")),
    ("exports_asgst", "exports ASGST_Two, which no header declares", another_asgst),
    ("exports_asgst", "ASGST_One is declared and not exported", another_asgst),
    ("exports_asgst", "does not name ASGST_One", another_asgst),
    ("exports_asgst", "ASGST_Two has no version", another_asgst),
    ("exports_asgst", "has no SONAME with a version", another_asgst),
    ("exports_jfrlib", "exports hprof_jfr_Two, which no header declares", another_jfrlib),
    ("exports_jfrlib", "hprof_jfr_One is declared and not exported", another_jfrlib),
    ("docs_help", "but `hprof help` lists run", lambda t: os.remove(t.root + "/docs/man/hprof-run.1")),
    ("docs_help", "-o of hprof run --help is no tag",
     lambda t: t.swap("docs/man/hprof-run.1", "\\fB\\-o\\fR, ", "")),
    ("docs_help", "--output of hprof run --help is no tag",
     lambda t: t.swap("docs/man/hprof-run.1", "\\-\\-output", "output")),
    ("docs_help", "--gone is documented",
     lambda t: t.swap("docs/man/hprof-run.1", ".SH NOTES", ".TP\n.B \\-\\-gone\nNo.\n.SH NOTES")),
    ("docs_help", "does not name the command version",
     lambda t: t.swap("docs/man/hprof.1", "version", "nothing")),
    ("docs_help", "cpu of the agent's help is no tag",
     lambda t: t.swap("docs/man/hprof-agent.7", "cpu=", "gpu=")),
    ("docs_help", "gpu is documented", lambda t: t.swap("docs/man/hprof-agent.7", "cpu=", "gpu=")),
    ("docs_help", "--help is not alike in all commands (version: -h; run: -h, N)",
     lambda t: t.write("build/hprof", HPROF.replace("-h, --help         help", "-h, --help N       help", 1), 0o755)),
    ("docs_help", "--keep is alike in all commands", lambda t: t.write("src/command/opts.c", HEAD)),
    ("docs_help", "and the list do not agree", lambda t: t.swap("src/cli/meson.build", "'run'", "'walk'")),
    ("words", "--sort: mem is not among its orders", lambda t: t.swap("docs/man/hprof-top.1", "mem", "memory")),
    ("words", "has no --sort, where orders are listed", lambda t: t.swap("docs/man/hprof-top.1", "sort", "order")),
    ("words", "orders of docs/man/hprof-top.1 are found nowhere", lambda t: t.write("build/hprof", HPROF.replace("wanted is", "try"), 0o755)),
    ("budget", "its table of shares is not that of", lambda t: t.swap("docs/memory.md", "| 63 |", "| 62 |")),
    ("budget", "are 63 64ths", lambda t: t.swap("src/agent/budget.def", "RING, 1", "RING, 0")),
    ("budget", "does not say 2 for heap=", lambda t: t.swap("docs/man/hprof-agent.7", "2 for", "3 for")),
    ("budget", "divides mem= by itself", lambda t: t.add("src/base/grow.c", "/* mem_bytes / 8 */\n")),
    ("quality", "has not the row of lost", lambda t: t.swap("docs/quality.md", "| raise mem= |", "|  |")),
    ("quality", "has not the row of fault", lambda t: t.swap("src/safe/walk_cause.def", "bad memory", "no memory")),
    ("quality", "has a row of found, which is no count", lambda t: t.add("docs/quality.md", "| `found` | All. |  |\n")),
    ("quality", "nothing sets samples", lambda t: t.swap("src/profile/quality.c", "QUALITY_SAMPLES", "SAMPLES")),
    ("quality", "has words for the first line", lambda t: t.swap("src/profile/quality.def", "HEAD, NULL", 'HEAD, "all"')),
    ("quality", "has 1 rows that can be read", lambda t: t.swap("src/profile/quality.def", "HEAD, NULL", "HEAD")),
    ("quality", "names a count found that there is not",
     lambda t: t.swap("src/kind/kind_sample.c", '"lost"', '"found"')),
    ("quality", "sets a count by a word", lambda t: t.add("src/base/grow.c", '#if 0\ntally_set_quality(t, "lost", 1);\n#endif\n')),
    ("metrics", "has not the row of hprof.up", lambda t: t.swap("docs/metrics.md", "| /proc |", "|  |")),
    ("metrics", "has a row of hprof.more, which is no metric", lambda t: t.add("docs/metrics.md", "| `hprof.more` | gauge |  |  |  |  |\n")),
    ("metrics", "nothing sets hprof.up", lambda t: t.swap("src/metrics/metric.c", "METRIC_UP", "METRIC")),
    ("metrics", "has 0 rows that can be read", lambda t: t.swap("src/metrics/metric.def", '"Up"', "Up")),
    ("doctor", "has not the row of old", lambda t: t.swap("docs/doctor.md", "| 1 s |", "| 2 s |")),
    ("doctor", "has not the row of uptime", lambda t: t.swap("docs/doctor.md", "| /proc |", "|  |")),
    ("doctor", "has a row of more, which is none", lambda t: t.swap("docs/doctor.md", "| `uptime` |", "| `more` |")),
    ("doctor", 'nothing sets "uptime"', lambda t: t.swap("src/doctor/doctor_fact.c", "DOCTOR_UPTIME", "DOCTOR")),
    ("doctor", '"old" names no fact', lambda t: t.swap("src/doctor/doctor_rule.def", '"uptime"', '"age"')),
    ("doctor", "has 0 rows that can be read", lambda t: t.swap("src/doctor/doctor_rule.def", '"old"', "old")),
    ("folders", "src/base:0: no README", lambda t: os.remove(t.root + "/src/base/README")),
    ("folders", "6 lines", lambda t: t.write("src/base/README", "a\n" * 6)),
    ("folders", "no licence", lambda t: t.swap("src/base/grow.c", SPDX, "x")),
    ("folders", "does not compile alone",
     lambda t: t.add("src/base/grow.h", "int grow_size(size_t n);\n")),
    ("stems", "second file grow.c", lambda t: t.write("tests/unit/grow.c", HEAD)),
    ("stems", "has the stem of src/base/grow.h in another folder",
     lambda t: (os.remove(t.root + "/src/base/grow.c"), t.write("src/cli/grow.c", HEAD))),
    ("stems", "external name swell does not start with grow_",
     lambda t: t.add("src/base/grow.c", "int swell(void);\nint swell(void)\n{\n    return 0;\n}\n")),
    ("text", "path of one machine", lambda t: t.write("notes.md", "see " + "/ro" + "ot/x\n")),
    ("text", "path of one machine", lambda t: t.write("notes.md", "see `" + "/tm" + "p/mine/x`\n")),
    ("text", "tab in C source", lambda t: t.add("src/base/grow.c", "int\tgrow_x;\n")),
    ("text", "blank at the end", lambda t: t.write("notes.md", "x \n")),
    ("text", "CR at the end", lambda t: t.write("notes.md", "x\r\n")),
    ("text", "no newline at the end", lambda t: t.write("notes.md", "x")),
    ("commands", "unknown option --gone", lambda t: t.write("README.md", "```\nhprof run --gone -- java   # so\n```\n")),
    ("commands", "an explanation behind a command", lambda t: t.write("README.md", "```\nhprof run -- java    runs java\n```\n")),
    ("commands", "unknown command 'walk'", lambda t: t.write("docs/a.md", "Use `hprof walk` for it.\n")),
    ("commands", "unknown option -z", lambda t: t.swap("docs/man/hprof-run.1", ".SH NOTES", ".SH EXAMPLES\n.nf\nhprof run \\\n  \\-z x\n.fi\n.SH NOTES")),
    ("commands", "Unknown option: gone", lambda t: t.write("README.md", "    x\n```\njava -agentlib:hprof=cpu=samples,gone=1 Main\n```\n")),
    ("commands", "no test runs the commands of this block", lambda t: t.write("docs/guides/a.md", "# It\n\n```\nhprof run -- java\n```\n")),
    ("commands", "no test runs the commands of this block", lambda t: t.write("README.md", "```shell not run:\nhprof run -- java\n```\n")),
    ("commands", "unknown option --gone", lambda t: t.write("docs/guides/a.md", "```console\n$ hprof run --gone -- java\nhprof walk\n```\n")),
    ("commands", "has no such target", lambda t: (t.write("Makefile", "all:\n"), t.write("README.md", "`make most` and `hprof run`\n"))),
    ("documents", "skipping paragraph macro", lambda t: t.write("docs/man/hprof-a.1", ".TH A 1 2026-01-01\n.SH NAME\na \\- b\n.PP\n.PP\nText.\n")),
    ("documents", "the link gone.md leads nowhere", lambda t: t.write("docs/a.md", "[a](gone.md)\n")),
    ("documents", "docs/a.md has no heading #gone", lambda t: t.write("docs/a.md", "# A place\n[a](a.md#a-place) [b](#gone)\n")),
    ("documents", "there is no src/base/gone.c", lambda t: t.write("notes.md", "see src/base/gone.c\n")),
    ("documents", "a table without its day", lambda t: t.write("docs/measurements/a.md", "# A\n\n" + MEASURED)),
    ("documents", "this row stands in docs/measurements/a.md, line 5, too",
     lambda t: (t.write("docs/measurements/a.md", "# A (2020-02-20)\n\n" + MEASURED), t.write("docs/b.md", MEASURED))),
    ("sentences", "there is no test test_a::test_gone",
     lambda t: (t.write("tests/jdk/test_a.py", "def test_b(run):\n    pass\n"),
                t.write("docs/jvmpi-tests.md", SENTENCES % "`test_a::test_b`, `test_a::test_gone`"))),
    ("sentences", "a sentence without a test", lambda t: t.write("docs/jvmpi-tests.md", SENTENCES % "soon")),
    ("listed", "tests/unit/test_lost.c:1: no meson.build names it",
     lambda t: t.write("tests/unit/test_lost.c", HEAD)),
    ("listed", "tests/fuzz/fuzz_lost.c:1: no meson.build names it",
     lambda t: t.write("tests/fuzz/fuzz_lost.c", HEAD)),
    ("listed", "src/base/lost.c:1: no meson.build names it", lambda t: t.write("src/base/lost.c", HEAD)),
    ("listed", "src/cli/cmd_lost.c:1: no meson.build names it",
     lambda t: (t.add("src/cli/meson.build", "sources = 'cmd_@0@.c'\n"), t.write("src/cli/cmd_lost.c", HEAD))),
    ("dialect", "sizeof without parentheses",
     lambda t: t.add("src/base/grow.c", "int grow_room(int n);\nint grow_room(int n)\n{\n    return (int)sizeof n;\n}\n")),
    ("dialect", "s[n].at == NULL; write !p",
     lambda t: t.add("src/base/grow.c", POINTER + "    return s[n].at == (void *)0 || s[n].at == NULL;\n}\n")),
    ("dialect", "s[n].at != NULL; write p",
     lambda t: t.add("src/base/grow.c", POINTER + "    if (s[n].at != NULL)\n        return 1;\n    return s->at != NULL;\n}\n")),
    ("dialect", "cell_is_one returns an int",
     lambda t: t.add("src/safe/cell.c", "int cell_is_one(int n);\nint cell_is_one(int n)\n{\n    return n == 1;\n}\n")),
    ("dialect", "ODD_MAX is a #define",
     lambda t: t.add("src/safe/cell.c", "#define ODD_MAX 4 /* of them */\n#define ODD_MASK (1ull << 40)\n")),
    ("dialect", "safe/cell.h is not the first include",
     lambda t: t.write("src/safe/cell.c", HEAD + '#include <string.h>\n#include "safe/cell.h"\n')),
    ("dialect", "a unit of time of its own",
     lambda t: t.add("src/base/grow.c", "enum { ODD = 1, NS_PER_MS = 1000000 };\n")),
    ("doors", "src/cli/cmd_a.c:9: a text goes to the terminal by no door",
     lambda t: t.write("src/cli/cmd_a.c", HEAD + "#include <stdio.h>\nvoid cmd_a(const char *name);\nvoid cmd_a(const char *name)\n{\n"
                       "    printf(\"%d, %s\", 1, name);\n}\n")),
    ("doors", "src/cli/cmd_b.c:9: a text goes to the terminal by no door",
     lambda t: t.write("src/cli/cmd_b.c", HEAD + "#include <stdio.h>\nvoid cmd_b(const char *name);\nvoid cmd_b(const char *name)\n{\n"
                       "    fputs(name, stdout);\n}\n")),
    ("doors", "src/cli/cmd_c.c:9: a text goes to the terminal by no door",
     lambda t: t.write("src/cli/cmd_c.c", HEAD + "#include <unistd.h>\nint cmd_c(int (*sink_init)(int));\nint cmd_c(int (*sink_init)(int))\n{\n"
                       "    return sink_init(STDOUT_FILENO);\n}\n")),
    ("sizes", "the file has ", lambda t: t.add("src/base/grow.c", "/* a line */\n" * 801)),
    ("sizes", "grow_long() has 61 lines",
     lambda t: t.add("src/base/grow.c", "void grow_long(void);\nvoid grow_long(void)\n{\n" + "    ;\n" * 61 + "}\n")),
    ("sizes", "struct many has 21 fields",
     lambda t: t.add("src/base/grow.c", "struct many {\n    int (*a)(int, int), b[2][3];\n"
                     + "".join("    struct {\n        int x, y;\n    } s%d; /* a, b; */\n" % n for n in range(19)) + "};\n")),
    ("format", "src/base/grow.c:9: not formatted",
     lambda t: t.swap("src/base/grow.c", "    return", "  return")),
    ("tidy", "bugprone-sizeof-expression",
     lambda t: t.add("src/base/grow.c", "int grow_odd(void);\nint grow_odd(void)\n{\n"
                     "    return (int)sizeof(sizeof(int));\n}\n")),
]


def run_case(name, wanted, change):
    """'ok', 'not ok' or 'skip', and why."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(os.path.realpath(folder))
        if change:
            change(tree)
        try:
            tree.make()
        except subprocess.CalledProcessError as error:
            if name not in ("layers", "folders"):  # their violations need not compile
                return "not ok", str(error)
        status, output = tree.check(name)
    if status == 77 and name in ("format", "tidy", "musl"):
        return "skip", output.strip()
    if change is None:
        good = status == 0 and ("skip: " not in output or name == "musl")
    else:
        good = status == 1 and wanted in output
    return "ok" if good else "not ok", "exit status %d\n%s" % (status, output)


def main():
    # These want an interface of its real size; that they accept one is seen when they run on the tree itself.
    names = sorted({case[0] for case in CASES} - {"exports_asgst", "exports_jfrlib"})
    cases = [(name, "accepts the good tree", None) for name in names] + CASES
    failed = 0
    for name, wanted, change in cases:
        verdict, why = run_case(name, wanted, change)
        failed += verdict == "not ok"
        if verdict == "not ok":
            print("tests/check/%s.py:1: does not do what it is for: %s\n%s" % (name, wanted, why.strip()))
        elif verdict == "skip":
            print("skip: %s: %s" % (name, why))
        elif "-v" in sys.argv:
            print("%s: %s" % (name, wanted))
    sys.exit(1 if failed else 0)


main()
