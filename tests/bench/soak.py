#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak.py - a long run of cpu=samples: what is lost, what grows, whether anything breaks.

Runs tests/jdk/programs_verify/Mixed.java (classes that are unloaded again and again, deoptimisation of
active frames, collections, virtual threads) with the agent and prints, as it goes, the memory of the
process and what the VM itself says it has committed (-XX:NativeMemoryTracking); at the end the exit
status, what the VM did, and the agent's counts. Nothing passes or fails.

usage: soak.py [--seconds 3600] [--jdk HOME] [--agent FILE] [--options TEXT] [--work FOLDER] [--every 60]
--agent "" runs without it: what the VM's own memory does.
"""
import argparse
import os
import re
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def resident_kb(pid):
    with open("/proc/%d/status" % pid) as f:
        return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))


def vm_says(jdk, pid):
    """What the VM has committed, in KB, and the classes it has unloaded; 0 where it does not answer."""
    def ask(*command):
        done = subprocess.run([os.path.join(jdk, "bin", "jcmd"), str(pid), *command],
                              capture_output=True, text=True, check=False, timeout=60)
        return done.stdout
    committed = re.search(r"Total: reserved=\d+KB, committed=(\d+)KB", ask("VM.native_memory", "summary"))
    unloaded = re.search(r"java.cls.unloadedClasses=(\d+)", ask("PerfCounter.print"))
    return [int(m.group(1)) if m else 0 for m in (committed, unloaded)]


def count_lines(path, text):
    if not os.path.exists(path):
        return 0
    with open(path, errors="replace") as f:
        return sum(text in line for line in f)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=int, default=3600)
    parser.add_argument("--every", type=int, default=60)
    parser.add_argument("--jdk", default=os.environ.get("JAVA_HOME", ""))
    parser.add_argument("--agent", default=os.path.join(ROOT, "build", "src", "agent", "libhprof.so"))
    parser.add_argument("--options", default="interval=100us,depth=128")
    parser.add_argument("--work")
    args = parser.parse_args()
    work = args.work or tempfile.mkdtemp(prefix="soak")
    os.makedirs(work, exist_ok=True)
    subprocess.run([os.path.join(args.jdk, "bin", "javac"), "-d", work,
                    os.path.join(ROOT, "tests", "jdk", "programs_verify", "Mixed.java")], check=True)
    gc_log, deopt_log = os.path.join(work, "gc.log"), os.path.join(work, "deopt.log")
    with open(os.path.join(work, "stderr"), "w") as stderr:
        options = "cpu=samples,verbose=y,file=%s,%s" % (os.path.join(work, "out.txt"), args.options)
        program = subprocess.Popen(
            [os.path.join(args.jdk, "bin", "java"), "-Xms128m", "-Xmx128m", "-XX:+AlwaysPreTouch",
             "-XX:NativeMemoryTracking=summary", "-Xlog:gc:file=%s::filecount=0" % gc_log,
             "-Xlog:deoptimization=debug:file=%s::filecount=0" % deopt_log,
             *(["-agentpath:%s=%s" % (args.agent, options)] if args.agent else []),
             "-cp", work, "Mixed", str(args.seconds), "2"], stderr=stderr)
    start = time.time()
    print("%8s %12s %16s %12s" % ("seconds", "resident KB", "VM committed KB", "unloaded"), flush=True)
    while program.poll() is None:
        try:
            program.wait(args.every)
        except subprocess.TimeoutExpired:
            committed, unloaded = vm_says(args.jdk, program.pid)
            if program.poll() is None:
                print("%8d %12d %16d %12d" % (time.time() - start, resident_kb(program.pid), committed, unloaded),
                      flush=True)
    print("exit status %d after %d s" % (program.returncode, time.time() - start))
    print("collections %d, deoptimisations %d" % (count_lines(gc_log, "Pause"), count_lines(deopt_log, "[deoptimization]")))
    with open(os.path.join(work, "stderr")) as f:
        print(f.read()[-4000:])


if __name__ == "__main__":
    main()
