/*
 * heap_target.h - what `hprof heap` looks into: a dump, or a JVM, alive or dead, whose heap becomes
 * a dump in a file without a name.
 *
 * A live JVM has a frozen child write the file (recording/heap_fork.h). The heap of a core, and
 * that of a JVM that does not answer, is written by this command (jvm/heap_outside.h). The file has
 * the mode 0600, and ends with its last descriptor. Its room is said, and checked, before a JVM is
 * touched.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "jvm/asking.h"

struct heapinput;
struct opts;
struct question_origin;

enum {
    HEAP_TARGET_OPT_LIVE = ASKING_OPT_OWN,
    HEAP_TARGET_OPT_LIBRARY,
    HEAP_TARGET_OPT_STAND,
    HEAP_TARGET_OPT_MAX_STOP,
    HEAP_TARGET_OPT_OWN, /* the ids of the command's own options begin here */
};

/** The rows of a command that looks into heaps. */
#define HEAP_TARGET_ROWS                                                                           \
    {HEAP_TARGET_OPT_LIVE, 0, "live", NULL, "of a JVM or core: only objects that can be reached"}, \
        {HEAP_TARGET_OPT_LIBRARY, 0, "agent", "PATH",                                              \
         "of a JVM: a library in place of the command's own agent"},                               \
        {HEAP_TARGET_OPT_STAND, 0, "stand", NULL,                                                  \
         "of a JVM: it stands still meanwhile, and no memory is needed for copies"},               \
        {HEAP_TARGET_OPT_MAX_STOP, 0, "max-stop", "TIME", MAX_STOP_HELP_ASKED},                    \
        {ASKING_OPT_TIMEOUT, 0, "timeout", "TIME", ASKING_TIMEOUT_HELP}, ASKING_OUTSIDE_ROWS

struct heap_target {
    struct asking_line line; /* `q.cmd` and `q.target` are set */
    const char *tmp;         /* the folder for the file; NULL: heapspool_folder() chooses */
    const char *agent;       /* path of an agent library; NULL: the carried one */
    uint64_t max_stop_ns;    /* 0: no bound */
    bool is_live;            /* only objects that can be reached */
    bool stands;             /* a JVM that answers stands still until its heap is taken */
    bool wants_elements;     /* also those of long arrays of primitives, which most need not */
};

enum heap_target_kind {
    HEAP_TARGET_FILE,   /* a dump, or no file at all */
    HEAP_TARGET_STREAM, /* "-": standard input */
    HEAP_TARGET_CORE,
    HEAP_TARGET_JVM,
};

/** Takes an option of HEAP_TARGET_ROWS. Returns an exit status if the command ends here, else a
 * negative number. */
int heap_target_take_option(struct heap_target *t, const struct opts *opts, int id);
/** What the target is. A file goes before a JVM of that name. */
enum heap_target_kind heap_target_kind(const struct heap_target *t);
/** Whether options were given that only `kind`s of the other sort take. Returns an exit status,
 * after saying why it is not 0. */
int heap_target_check(const struct heap_target *t, enum heap_target_kind kind);

/**
 * Makes the dump of a JVM or core, or of what comes through standard input. *ret_in is a file
 * without a name that has it, or its `fd` is -1; owner: heapinput_close(), in both cases.
 * *ret_origin is filled for a core; owner: heap_target_origin_done().
 *
 * Returns an exit status, after saying why it is not 0: with a file it says that a part of the heap
 * is missing.
 */
int heap_target_take(struct heap_target *t, struct heapinput *ret_in,
                     struct question_origin *ret_origin);
void heap_target_origin_done(struct question_origin *origin);
