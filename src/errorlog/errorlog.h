/*
 * errorlog.h - the facts of a fatal error log of HotSpot (hs_err_pid1.log), each with its line.
 *
 * The log is text for people; its sections and their words differ between releases, and a log may
 * end anywhere, because the process that writes it is dying. So each fact is searched by the
 * beginning of its line, and may be missing. A log may also stand in the output of a program
 * (-XX:+ErrorFileToStderr); what stands in front of it is skipped.
 *
 * Of the command line only the main class or jar and the names of agents are kept, and of the
 * environment nothing. Source: HotSpot vmError.cpp, os_posix.cpp, debug.cpp of JDK 8 to 28.
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ERRORLOG_TEXT = 256,
    ERRORLOG_FRAMES = 32,
    ERRORLOG_AGENTS = 16,
    ERRORLOG_BYTES = 64 << 20, /* longest file */
};

enum errorlog_kind {
    ERRORLOG_NONE,     /* not such a log */
    ERRORLOG_SIGNAL,   /* a signal that the VM did not expect */
    ERRORLOG_MEMORY,   /* the system gave no memory */
    ERRORLOG_INTERNAL, /* a check of the VM itself failed */
    ERRORLOG_EXIT,     /* the VM ended by itself: -XX:+ExitOnOutOfMemoryError */
};

/** A line of the log. `line` 0: there is none. */
struct errorlog_text {
    uint32_t line;
    char text[ERRORLOG_TEXT]; /* cut to this; not plain (base/plain.h) */
};

/** A number of the log; `line` 0: it is not there. */
struct errorlog_number {
    uint32_t line;
    uint64_t value;
};

struct errorlog_signal {
    int number;
    char name[16]; /* "SIGSEGV"; "": unknown */
    char code[24]; /* "SEGV_MAPERR"; "": unknown */
    bool has_address;
    uint64_t address; /* that was accessed */
    uint64_t pc;
};

struct errorlog_frame {
    char type;                /* C native, V VM, v stub, j interpreted, J compiled, A archived */
    char module[64];          /* "libc.so.6"; "": none */
    char name[ERRORLOG_TEXT]; /* function or method; "": unknown */
};

struct errorlog_thread {
    char type[32];                  /* "JavaThread" */
    char name[128];                 /* "main" */
    char state[32];                 /* "_thread_in_native" */
    uint64_t stack_low, stack_high; /* 0: unknown */
    uint64_t tid;
};

/** The memory of the machine, of the group and of the process, in bytes. */
struct errorlog_memory {
    struct errorlog_number heap_used, heap_size, metaspace_used;
    struct errorlog_number physical, physical_free, swap_free;
    struct errorlog_number group_limit, group_usage;
    struct errorlog_number space_limit; /* of the address space (ulimit -v) */
    struct errorlog_number resident;    /* of the process */
};

/** The lines that tell something by themselves. */
struct errorlog_lines {
    struct errorlog_text head;    /* "SIGSEGV (0xb) at pc=..., pid=1, tid=2" */
    struct errorlog_text message; /* of a failed check, or what memory was wanted */
    struct errorlog_text version; /* "JRE version: ..." */
    struct errorlog_text frame_line, thread_line, siginfo_line;
    struct errorlog_text task;      /* what a compiler was compiling */
    struct errorlog_text operation; /* what the VM thread was doing */
    struct errorlog_text stack;     /* "Stack: [..], sp=.., free space=1020k" */
    struct errorlog_text mapping;   /* the map that holds the address */
    struct errorlog_text core;      /* whether a core was written */
    struct errorlog_text elapsed;   /* how long the JVM had been running */
    struct errorlog_text overflow;  /* "An irrecoverable stack overflow has occurred." */
    struct errorlog_text java;      /* the innermost Java frame */
};

struct errorlog {
    enum errorlog_kind kind;
    bool is_whole; /* the log has its last line */
    uint32_t lines;
    uint64_t pid;
    struct errorlog_lines at;
    struct errorlog_signal signal;
    struct errorlog_frame frame; /* the problematic frame */
    struct errorlog_thread thread;
    struct errorlog_memory memory;
    struct errorlog_number wanted;                /* bytes that the system did not give */
    struct errorlog_text frames[ERRORLOG_FRAMES]; /* of the stack, innermost first */
    uint32_t frame_count;
    struct errorlog_text agents[ERRORLOG_AGENTS]; /* names of libraries and jars, without options */
    uint32_t agent_count;
    char main[ERRORLOG_TEXT]; /* main class or jar; "": unknown */
};

/** Reads the facts of a text. `ret->kind` is ERRORLOG_NONE if there is no such log in it. */
void errorlog_parse(const char *text, size_t len, struct errorlog *ret);
/** Reads a file. Errors: 0; -errno; E_LIMIT: it is longer than ERRORLOG_BYTES; -ENOMEM. */
int errorlog_read(const char *path, struct errorlog *ret);
/** Reads a line of a stack: "C  [libfoo.so+0x1129]  Java_Foo_crash+0x9". Returns whether it is
 * one. */
bool errorlog_parse_frame(const char *line, struct errorlog_frame *ret);
