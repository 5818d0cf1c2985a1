/*
 * Fatal error logs: what is read from them, and to which cause each belongs. A row is a small log
 * that was made up here, in the form of one release.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "errorlog/errorlog.h"
#include "cmocka_all.h"
#include <stdio.h>
#include <string.h>
#include "errorlog/errorlog_cause.h"

#define HEAD "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
#define NO_MEMORY                                                                                  \
    "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n"
#define MAIN "\"main\" [_thread_in_native, id=9, stack(0x00007f0000000000,0x00007f0000100000)]\n"
#define SEGV_AT(pc) HEAD "#  SIGSEGV (0xb) at pc=" pc ", pid=8, tid=9\n#\n"
#define FRAME(text) "# Problematic frame:\n# " text "\n#\n"
#define ADDRESS(code, addr)                                                                        \
    "siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (" code "), si_addr: " addr "\n"
#define THREAD "\nCurrent thread (0x00007f1000000000):  JavaThread "
#define END "\nEND.\n"

static const struct {
    const char *cause, *log;
} rows[] = {
    {"native-library", SEGV_AT("0x0000000000001129") FRAME("C  [libacme.so+0x1129]  acme_run+0x9")
                           THREAD MAIN ADDRESS("SEGV_MAPERR", "0x0000000000000008") END},
    /* a crash in the C library belongs to its caller */
    {"agent",
     SEGV_AT("0x0000000000001129") FRAME("C  [libc.so.6+0x9f000]") THREAD MAIN ADDRESS(
         "SEGV_MAPERR", "0x0000000000000008") "Native frames: (J=compiled Java code, "
                                              "j=interpreted, Vv=VM code, C=native code)\n"
                                              "C  [libc.so.6+0x9f000]\nC  [libwatch.so+0x20]  "
                                              "watch_all+0x10\nV  [libjvm.so+0x1]\n\n"
                                              "VM Arguments:\njvm_args: -Xmx1g "
                                              "-agentpath:/opt/libwatch.so=key=geheim -Dx=y\n" END},
    {"agent",
     SEGV_AT("0x1") FRAME("C  [libwatch.so+0x20]") THREAD MAIN "jvm_args: -agentlib:watch\n" END},
    {"native-library", SEGV_AT("0x1") FRAME("C  [libwatch.so+0x20]") THREAD MAIN
     "jvm_args: -agentlib:watcher -Dx=-agentlib:watch\n" END},
    {"unsafe-access",
     SEGV_AT("0x1") FRAME("V  [libjvm.so+0x9fa7e2]  Unsafe_PutLong+0x82") THREAD MAIN END},
    {"unsafe-access",
     SEGV_AT("0x1") FRAME("v  ~StubRoutines::jlong_disjoint_arraycopy 0x00007f3") THREAD MAIN
     "Native frames: (J=...)\nv  ~StubRoutines::jlong_disjoint_arraycopy\n"
     "j  jdk.internal.misc.Unsafe.copyMemory0(Ljava/lang/Object;J)V+0 java.base\n\n" END},
    {"native-stack-overflow", SEGV_AT("0x1") FRAME("C  [libacme.so+0x1129]  acme_deep+0x9")
                                  THREAD MAIN ADDRESS("SEGV_ACCERR", "0x00007f0000001ff8") END},
    {"native-stack-overflow", "An irrecoverable stack overflow has occurred.\n" SEGV_AT("0x1")
                                  FRAME("C  [libacme.so+0x1]") END},
    {"jit-compiler",
     SEGV_AT("0x1") FRAME("V  [libjvm.so+0x5]  PhaseIdealLoop::build(Node*)+0x1") THREAD
     "\"C2 CompilerThread0\" daemon [_thread_in_native, id=9, stack(0x1000,0x2000)]\n\n"
     "Current CompileTask:\nC2:   1234  45   4  com.acme.Loop::run (12 bytes)\n" END},
    {"gc-thread",
     SEGV_AT("0x1")
         FRAME("V  [libjvm.so+0x5]  G1ParScanThreadState::copy+0x1") "\nCurrent thread (0x1):  "
                                                                     "WorkerThread \"GC Thread#1\" "
                                                                     "[stack: 0x1,0x2]\n" END},
    {"compiled-code",
     SEGV_AT("0x1") FRAME("J 77 c2 com.acme.Loop.run(I)I (12 bytes) @ 0x1 [0x0+0x1]") END},
    {"vm-crash", SEGV_AT("0x1") FRAME("V  [libjvm.so+0x5]  Klass::name() const+0x1") END},
    {"signal-sent",
     SEGV_AT("0x1") FRAME("C  [libc.so.6+0x9f000]") "\nsiginfo: si_signo: 11 (SIGSEGV), si_code: 0 "
                                                    "(SI_USER), si_pid: 5, si_uid: 0\n" END},
    {"bus-error-file",
     HEAD "#  SIGBUS (0x7) at pc=0x1, pid=8, tid=9\n" FRAME("v  ~StubRoutines::jbyte_copy") END},
    {"bus-error-shm",
     HEAD "#  SIGBUS (0x7) at pc=0x1, pid=8, tid=9\n" FRAME(
         "v  ~StubRoutines::jbyte_copy") "siginfo: si_signo: 7 (SIGBUS), si_code: 2 (BUS_ADRERR), "
                                         "si_addr: 0x00007f0000001000\n"
                                         "Dynamic libraries:\n7e0000000000-7e0000001000 r--p "
                                         "00000000 00:1 1 /lib/libc.so.6\n"
                                         "7f0000000000-7f0000002000 rw-s 00000000 00:1b 2 "
                                         "/dev/shm/ring\n" END},
    {"internal-error",
     HEAD "#  Internal Error (klass.cpp:12), pid=8, tid=9\n#  guarantee(x) failed: odd\n#\n" END},
    {"java-heap", HEAD "#  Internal Error (debug.cpp:3), pid=8, tid=9\n#  fatal error: OutOfMemory "
                       "encountered: Java heap space\n#\n" END},
    {"metaspace", HEAD "#  Internal Error (debug.cpp:3), pid=8, tid=9\n#  fatal error: OutOfMemory "
                       "encountered: Metaspace\n#\n" END},
    {"java-heap", "some output\nTerminating due to java.lang.OutOfMemoryError: Java heap space\n"},
    {"metaspace", "Terminating due to java.lang.OutOfMemoryError: Metaspace\n"},
    {"native-memory",
     NO_MEMORY "# Native memory allocation (mmap) failed to map 16384 bytes. Error "
               "detail: committing reserved memory.\n" END},
    {"address-space", NO_MEMORY
     "# Native memory allocation (malloc) failed to allocate 32744 bytes for ChunkPool::allocate\n"
     "rlimit (soft/hard): STACK 8192k/infinity , AS 4194304k/4194304k , CPU "
     "infinity/infinity\n" END},
    {"native-memory", NO_MEMORY
     "# Native memory allocation (malloc) failed to allocate 32744 bytes for ChunkPool::allocate\n"
     "rlimit (soft/hard): STACK 8192k/infinity , AS infinity/infinity , CPU "
     "infinity/infinity\n" END},
    {"cgroup-memory", NO_MEMORY
     "# Native memory allocation (mmap) failed to map 16777216 bytes for committing memory.\n"
     "memory_limit_in_bytes: 524288 k\nmemory_usage_in_bytes: 515000 k\n" END},
    {"native-memory", NO_MEMORY
     "# Native memory allocation (mmap) failed to map 16384 bytes for committing memory.\n"
     "memory_limit_in_bytes: unlimited\nmemory_usage_in_bytes: 515000 k\n" END},
    {"unknown", HEAD "#  SIGSEGV (0xb) at pc=0x1, pid=8, tid=9\n"},
};

static void each_log_has_its_cause(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct errorlog log;
        errorlog_parse(rows[i].log, strlen(rows[i].log), &log);
        assert_int_not_equal(log.kind, ERRORLOG_NONE);
        const char *word = errorlog_cause_all[errorlog_cause_of(&log)].word;
        if (strcmp(word, rows[i].cause) != 0)
            fail_msg("row %zu is %s, not %s", i, word, rows[i].cause);
    }
}

static void facts_have_their_lines(void **state)
{
    static const char text[] =
        "output of the program\n" HEAD
        "#  SIGSEGV (0xb) at pc=0x00007f2000001129, pid=8, tid=9\n#\n"
        "# JRE version: OpenJDK Runtime Environment (17.0.15+6) (build 17.0.15+6)\n"
        "# Problematic frame:\n# C  [libacme.so+0x1129]  acme_run+0x9\n#\n"
        "# Core dump will be written. Default location: /var/core.8\n#\n"
        "Command Line: -Dpassword=geheim com.acme.Main geheim\n"
        "Time: Sun Nov 29 22:00:00 2026 UTC elapsed time: 1.250000 seconds (0d 0h 0m 1s)\n"
        "\nCurrent thread (0x1):  JavaThread \"a \"b\" c\" daemon [_thread_in_native, id=9, "
        "stack(0x00007f0000000000,0x00007f0000100000) (1024K)]\n"
        "siginfo: si_signo: 11 (SIGSEGV), si_code: 1 (SEGV_MAPERR), si_addr: 0x10\n"
        "Stack: [0x00007f0000000000,0x00007f0000100000],  sp=0x00007f00000fe000,  free "
        "space=1016k\n"
        "Native frames: (J=compiled Java code, j=interpreted, Vv=VM code, C=native code)\n"
        "C  [libacme.so+0x1129]  acme_run+0x9\nj  com.acme.Main.run()V+0\n...<more frames>...\n\n"
        "Heap:\n PSYoungGen      total 2048K, used 1024K [0x1, 0x2)\n"
        "  eden space 1K, 50% used\n ParOldGen       total 4096K, used 512K [0x1, 0x2)\n"
        " Metaspace       used 300K, committed 448K, reserved 1114112K\n"
        "jvm_args: -javaagent:/opt/x/watch.jar=token=geheim -agentlib:jdwp=a=b\n"
        "java_command: /opt/app/main.jar geheim\n"
        "PASSWORD=geheim\n"
        "Memory: 4k page, physical 16384k(1024k free), swap 0k(0k free)\n" END "behind the end\n";
    struct errorlog log;
    (void)state;
    errorlog_parse(text, sizeof(text) - 1, &log);
    assert_int_equal(log.kind, ERRORLOG_SIGNAL);
    assert_true(log.is_whole);
    assert_int_equal(log.at.head.line, 5);
    assert_int_equal(log.pid, 8);
    assert_string_equal(log.signal.name, "SIGSEGV");
    assert_int_equal(log.signal.number, 11);
    assert_string_equal(log.signal.code, "SEGV_MAPERR");
    assert_true(log.signal.has_address && log.signal.address == 16);
    assert_true(log.signal.pc == 0x00007f2000001129);
    assert_int_equal(log.frame.type, 'C');
    assert_string_equal(log.frame.module, "libacme.so");
    assert_string_equal(log.frame.name, "acme_run+0x9");
    assert_string_equal(log.thread.name, "a \"b\" c");
    assert_string_equal(log.thread.type, "JavaThread");
    assert_string_equal(log.thread.state, "_thread_in_native");
    assert_int_equal(log.thread.tid, 9);
    assert_true(log.thread.stack_high - log.thread.stack_low == 1 << 20);
    assert_int_equal(log.frame_count, 2);
    assert_string_equal(log.frames[1].text, "j  com.acme.Main.run()V+0");
    assert_int_equal(log.memory.heap_size.value, 6144 * 1024);
    assert_int_equal(log.memory.heap_used.value, 1536 * 1024);
    assert_int_equal(log.memory.metaspace_used.value, 300 * 1024);
    assert_int_equal(log.memory.physical_free.value, 1024 * 1024);
    assert_int_equal(log.agent_count, 2);
    assert_string_equal(log.agents[0].text, "watch.jar");
    assert_string_equal(log.agents[1].text, "jdwp");
    assert_string_equal(log.main, "main.jar");
    assert_int_equal(log.at.elapsed.line, 14);
    /* nothing of what was secret is kept */
    assert_null(memmem(&log, sizeof(log), "geheim", 6));
}

static void a_cut_log_gives_what_it_has(void **state)
{
    static const char text[] =
        HEAD "#  SIGSEGV (0xb) at pc=0x1, pid=8, tid=9\n" FRAME("C  [libacme.so+0x1129]")
            THREAD MAIN "Memory: 4k page, physical 1638";
    struct errorlog log;
    (void)state;
    for (size_t len = 0; len < sizeof(text); len++) {
        errorlog_parse(text, len, &log);
        assert_false(log.is_whole);
        assert_true(errorlog_cause_of(&log) < ERRORLOG_CAUSES);
    }
    assert_string_equal(log.frame.module, "libacme.so");
}

static void other_texts_are_no_logs(void **state)
{
    static const char *const texts[] = {"", "\n", "hello\n", "SIGSEGV (0xb) at pc=0x1\n",
                                        "A fatal error has been detected by the Java\n"};
    struct errorlog log;
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        errorlog_parse(texts[i], strlen(texts[i]), &log);
        assert_int_equal(log.kind, ERRORLOG_NONE);
    }
    assert_true(errorlog_read("/nowhere/x", &log) < 0);
    assert_true(errorlog_read("/dev/null", &log) < 0);
}

static void frames_are_read(void **state)
{
    struct errorlog_frame f;
    (void)state;
    assert_true(errorlog_parse_frame("v  ~StubRoutines::call_stub", &f));
    assert_int_equal(f.type, 'v');
    assert_string_equal(f.module, "");
    assert_string_equal(f.name, "~StubRoutines::call_stub");
    assert_true(errorlog_parse_frame("C  [libc.so.6+0x1]", &f));
    assert_string_equal(f.module, "libc.so.6");
    assert_string_equal(f.name, "");
    assert_true(errorlog_parse_frame("C  0x0000000000000000", &f));
    assert_false(errorlog_parse_frame("", &f));
    assert_false(errorlog_parse_frame("C", &f));
    assert_false(errorlog_parse_frame("C  ", &f));
    assert_false(errorlog_parse_frame("X  [libc.so.6+0x1]", &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_log_has_its_cause),
        cmocka_unit_test(facts_have_their_lines),
        cmocka_unit_test(a_cut_log_gives_what_it_has),
        cmocka_unit_test(other_texts_are_no_logs),
        cmocka_unit_test(frames_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
