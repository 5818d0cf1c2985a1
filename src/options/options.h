/*
 * options.h - the option string of the agent: `name=value,name=value`.
 *
 * The grammar, defaults and error texts are those of the original HPROF agent, with its traps (a
 * name runs to the next '=', not to a comma); what is new is named so in the table of options.c.
 * Knows no JVM: the fuzz target and the tests link it alone. Grammar and table:
 * docs/man/hprof-agent.7. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
    OPTIONS_VALUE = 4096,     /* longest value, as in the original */
    OPTIONS_DEPTH_MAX = 8192, /* deepest stack that can be asked for */
    OPTIONS_MESSAGE = 512,
};

enum options_cpu_table { OPTIONS_NO_TABLE, OPTIONS_TIMES, OPTIONS_OLD };

struct options {
    int help; /* the whole string was "help" */
    int heap_dump, heap_sites, cpu_samples, monitor;
    int monitor_park;                 /* monitor=all */
    enum options_cpu_table cpu_table; /* cpu=times or cpu=old, the last one said */
    char format;                      /* 'a' or 'b' */
    char file[OPTIONS_VALUE + 1];     /* "" = java.hprof.txt or java.hprof */
    char net_host[OPTIONS_VALUE + 1]; /* "" = no socket */
    int net_port;
    int depth;
    uint64_t interval_ns;
    double cutoff; /* a fraction */
    int lineno, thread, doe, msa, force, verbose, gc_okay, primfields, primarrays, coredump;
    int errorexit, pause, debug;
    long logflags, debugflags, xflags;
    /* new */
    char engine[16]; /* "" = the best that works here */
    char signal[16]; /* of the timers; "" = one that nobody else has */
    char walker[16];
    char clock[16];                   /* of cpu=times; "" = the best */
    char include[OPTIONS_VALUE + 1];  /* patterns of methods that cpu=times looks at; "" = all */
    char exclude[OPTIONS_VALUE + 1];  /* and of those that it does not */
    int intrinsics;                   /* cpu=times counts them too */
    int raw;                          /* cpu=times: a table of uncorrected times too */
    int native;                       /* C and C++ frames too */
    uint64_t sample_bytes;            /* heap=: bytes between samples; 0: every object counts */
    int gc;                           /* collect before a table of live objects */
    int kernel;                       /* the kernel's frames too */
    uint64_t mem_bytes;               /* budget of rings and tables; 0: by default */
    uint64_t duration_ns;             /* then it ends by itself; 0: it does not */
    int expand;                       /* %p and %t in file= */
    char manifest[OPTIONS_VALUE + 1]; /* "" = none */
    char verify[OPTIONS_VALUE + 1];   /* report of `hprof verify`; "" = no verification */
    long verify_rate, verify_share, verify_random, verify_seconds;
    int sites, fork;     /* of heap dumps: traces of objects; by a forked child */
    int live;            /* of heap dumps: only what can be reached */
    long idsize;         /* bytes of ids in binary heap dumps; 0: as the heap needs */
    uint64_t fork_bytes; /* most memory of the child's own; 0 no limit */
    long dump_stuck_s;   /* of heap dumps: how long a child may stand still */
    /* always 0 but in the agent of the tests */
    int selftest;  /* heap dumps check the walk of the heap first */
    long dumptest; /* what goes wrong in the child */
    int timesboth; /* cpu=times keeps a second table */
};

/** Why parsing failed: the text of the original where it has one. */
struct options_error {
    char text[OPTIONS_MESSAGE];
};

/**
 * Parse `line` (NULL: empty) joined with `environment` (the value of _JAVA_HPROF_OPTIONS, or NULL).
 *
 * Errors:  0; E_SYNTAX with *ret_error filled; `ret` then holds what came before the error
 * (errorexit counts). Context: any.
 */
int options_parse(const char *line, const char *environment, struct options *ret,
                  struct options_error *ret_error);

/**
 * The whole option string, as messages show it: `line`, a comma, `environment`; either may be NULL.
 * Errors: NULL without memory. Owner: the caller frees it.
 */
char *options_join(const char *line, const char *environment);

/** Bytes of an id in the file. `large_heap`: 2 000 000 000 bytes or more. */
int options_id_bytes(const struct options *o, int large_heap);

/** The text of `help`. */
void options_help(FILE *out);
