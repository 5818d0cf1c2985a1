/*
 * dumpfeed.h - finds thread dumps among the lines of a text: of jstack, of a JVM that got SIGQUIT
 * and wrote into a log, of Thread.dump_to_file.
 *
 * Takes one line after the other and keeps only those of dumps, in the form of jstack. Lines of
 * other programs between them are counted; a logger's prefix is taken away; a stack of an exception
 * between two lines of a thread is left out. Context: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"

enum {
    DUMPFEED_TEXT = 64,         /* when and by which JVM a dump was made */
    DUMPFEED_LINE = 16 << 10,   /* the rest of a longer line is not read */
    DUMPFEED_BYTES = 256 << 20, /* the most that is kept of one dump */
};

/** A dump that was found. */
struct dumpfeed_dump {
    char when[DUMPFEED_TEXT]; /* "": not known */
    char vm[DUMPFEED_TEXT];   /* name or version of the JVM; "": not known */
    char pid[16];             /* of the JVM, in its own namespace; "": not known */
    uint64_t line;            /* number of its first line, from 1 on */
    uint64_t foreign;         /* lines between its own that are no part of it */
    bool has_states;          /* false: the states of its threads are derived from their frames */
    struct textbuf text;      /* the dump as jstack prints it */
};

/** Takes the dump: clears dump->text when it keeps the bytes. Errors: 0; negative, which ends the
 * reading. */
typedef int dumpfeed_taker(void *with, struct dumpfeed_dump *dump);

enum dumpfeed_state {
    DUMPFEED_OUTSIDE,
    DUMPFEED_THREADS,   /* in a dump */
    DUMPFEED_THROWABLE, /* in a dump, in the stack of an exception that a log has between */
    DUMPFEED_ENDED,     /* behind the threads: only deadlocks follow */
};

struct dumpfeed {
    dumpfeed_taker *take;
    void *with;
    enum dumpfeed_state state;
    struct dumpfeed_dump dump;
    uint64_t line; /* number of the line that was read last */
    char prefix[DUMPFEED_LINE], last[DUMPFEED_TEXT], number[16];
    size_t prefix_len;
    bool is_file;                   /* the form of Thread.dump_to_file */
    bool is_headed;                 /* a thread has begun, and its state has not come */
    bool is_unstated;               /* the state of the thread is not written yet */
    char state_word[DUMPFEED_TEXT]; /* the state that the head of the thread has; "": none */
};

void dumpfeed_init(struct dumpfeed *f, dumpfeed_taker *take, void *with);
/** Takes a line, without its end. Errors: 0; as the taker; -ENOMEM; E_LIMIT:
 * a dump is too long. */
int dumpfeed_line(struct dumpfeed *f, const char *line, size_t len);
/** The text is at its end: the last dump is taken. Errors: as above. */
int dumpfeed_end(struct dumpfeed *f);
void dumpfeed_done(struct dumpfeed *f);
/** Writes a name so that attach/threaddump.h finds its end, and a line stays a line. */
void dumpfeed_put_name(struct textbuf *t, const char *name, size_t len);
/** The state of a thread by its innermost frame, where the dump has none. */
const char *dumpfeed_state_by_frame(const char *frame, size_t len);
/** Writes a line about a lock. JDK's files name an object CLASS@HASH: `text` is "waiting on
 * <CLASS@HASH>" or similar, and gets "(a CLASS)" behind it. */
void dumpfeed_put_lock(struct textbuf *t, const char *text, size_t len);
