/*
 * options.h - what an option string says about the file and about all engines.
 *
 * Each engine owns the options that say what is measured and how (options_group.h). options_parse.h
 * parses the string. Knows no JVM: the command, the fuzz target and the tests link it without one.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct options_own;

enum {
    OPTIONS_VALUE = 4096,     /* longest value in bytes, as in the original */
    OPTIONS_DEPTH_MAX = 8192, /* deepest stack that depth= accepts */
    /* default of depth= for files that other tools read */
    OPTIONS_DEPTH_WHOLE = 512,
    OPTIONS_MESSAGE = 512,
};

/** Whether the JDK's debugging agent, which is loaded after this agent, must know the option
 * onjcmd=. */
enum options_onjcmd {
    OPTIONS_ONJCMD_UNASKED,
    /* if the debugging agent does not know onjcmd=, the JVM does not start; a message says why */
    OPTIONS_ONJCMD_WANTED,
    OPTIONS_ONJCMD_ONLY, /* like WANTED, and nothing is measured */
};

struct options {
    struct {
        bool help;     /* the whole string was "help" */
        bool settings; /* settings of JFR events were given */
        bool format, live, depth, mem;
    } said;
    char format;                  /* a letter of options_format.h */
    char file[OPTIONS_VALUE + 1]; /* "": java.hprof.txt or java.hprof */
    struct {
        char host[OPTIONS_VALUE + 1]; /* "": no socket */
        int port;
    } net;
    int depth;
    uint64_t interval_ns;
    double cutoff; /* a fraction: 0.0001 is 0.01 per cent */
    bool lineno, thread, doe, force, verbose, errorexit;
    bool expand;        /* replace %p and %t in file= */
    bool live;          /* for objects: only reachable ones */
    int idsize;         /* bytes of ids in binary heap dumps; 0: as the heap needs */
    uint64_t mem_bytes; /* budget of rings and tables; 0: the default */
    struct {
        uint64_t duration_ns; /* the recording ends after this time; 0: it does not end by itself */
        uint64_t loop_ns;     /* a new file begins each time after this; 0: one file */
        int keep;             /* how many finished files are kept; 0: all */
        uint32_t turn;        /* number of files before this one */
    } ends;
    struct {
        char manifest[OPTIONS_VALUE + 1]; /* "": none */
        bool tools;                       /* measure also in the JVMs of build tools */
        int onjcmd;                       /* enum options_onjcmd */
    } under;                              /* for a command that starts JVMs */
    struct options_own *own;              /* the options of the engines */
};

/** The messages about an option string. */
struct options_error {
    /* why parsing failed; the original's text if the original has one */
    char text[OPTIONS_MESSAGE];
    char note[OPTIONS_MESSAGE]; /* a sentence about what was ignored; "": nothing was */
};

/** Free what options_parse() has allocated. Parsing may have failed. Context: any. */
void options_done(struct options *o);

/**
 * The size of an id in the file in bytes. `large_heap`: the heap has 2,000,000,000 bytes or more.
 */
int options_id_bytes(const struct options *o, int large_heap);
