/*
 * options.h - what an option string says of the file and of all engines.
 *
 * What is measured, and with which settings, the engines own (options_group.h). The string itself
 * is options_parse.h's. Knows no JVM: the command, the fuzz target and the tests link it alone.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct options_own;

enum {
    OPTIONS_VALUE = 4096,      /* longest value, as in the original */
    OPTIONS_DEPTH_MAX = 8192,  /* deepest stack that can be asked for */
    OPTIONS_DEPTH_WHOLE = 512, /* in files that other tools read, where depth= is not said */
    OPTIONS_MESSAGE = 512,
};

/** Whether the JDK's debugging agent, which is loaded after this one, must know its onjcmd=. */
enum options_onjcmd {
    OPTIONS_ONJCMD_UNASKED,
    OPTIONS_ONJCMD_WANTED, /* a JVM without it does not start, and says why */
    OPTIONS_ONJCMD_ONLY,   /* the same, and nothing is measured */
};

struct options {
    struct {
        bool help;     /* the whole string was "help" */
        bool settings; /* of JFR events: some were given */
        bool format, live, depth, mem;
    } said;
    char format; /* 'a' text, 'b' binary, 'j' JFR, 'c' collapsed stacks or 'h' flame graph */
    char file[OPTIONS_VALUE + 1]; /* "" = java.hprof.txt or java.hprof */
    struct {
        char host[OPTIONS_VALUE + 1]; /* "" = no socket */
        int port;
    } net;
    int depth;
    uint64_t interval_ns;
    double cutoff; /* a fraction */
    bool lineno, thread, doe, force, verbose, errorexit;
    bool expand;        /* %p and %t in file= */
    bool live;          /* of objects: only what can be reached */
    int idsize;         /* bytes of ids in binary heap dumps; 0: as the heap needs */
    uint64_t mem_bytes; /* budget of rings and tables; 0: by default */
    struct {
        uint64_t duration_ns; /* then it ends by itself; 0: it does not */
        uint64_t loop_ns;     /* then a new file begins; 0: it has one */
        int keep;             /* of its finished files so many stay; 0: all */
        uint32_t turn;        /* files before this one */
    } ends;
    struct {
        char manifest[OPTIONS_VALUE + 1]; /* "" = none */
        bool tools;                       /* measured in the JVMs of build tools, too */
        int onjcmd;                       /* enum options_onjcmd */
    } under;                              /* a command that starts JVMs */
    struct options_own *own;              /* what the engines own */
};

/** What there is to say of an option string. */
struct options_error {
    char text[OPTIONS_MESSAGE]; /* why parsing failed: that of the original where it has one */
    char note[OPTIONS_MESSAGE]; /* what was passed over, in a sentence; "": nothing */
};

/** Gives back what options_parse() has taken. `o` may have failed to parse. Context: any. */
void options_done(struct options *o);

/** Bytes of an id in the file. `large_heap`: 2 000 000 000 bytes or more. */
int options_id_bytes(const struct options *o, int large_heap);
