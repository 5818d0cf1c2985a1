/*
 * asking.h - what all commands that ask live JVMs share: finding them, attaching, and saying what
 * went wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "attach/attach.h"
#include "attach/jvms.h"
#include "jvm/outside.h"

struct cmd;
struct opts;

/** The help text of --timeout, the same in each command. */
#define ASKING_TIMEOUT_HELP "wait so long for the JVM to take a connection (10s) and to answer (1h)"

/** The work with one JVM. Returns an exit status, after saying why it is not 0. */
typedef int asking_job(struct attach *a, const struct jvm *jvm, void *with);

struct asking {
    const struct cmd *cmd;
    const char *target;  /* the word of the command line */
    uint64_t timeout_ns; /* 0: the limits of the JDK's own tools */
    bool is_single;      /* "all" is refused */
    bool is_labelled;    /* print a line "PID:" before the answer of each JVM, as jcmd does */
    bool is_data;        /* never print that line: the answers are rows for other programs */
    /** Refuses what cannot be done before the JVM is touched (attach_look()); NULL: no reason. */
    asking_job *refuse;
};

/** Do `job` with each JVM that the target names. Returns the largest of the exit statuses. */
int asking_each(const struct asking *q, asking_job *job, void *with);
/** The work with one VM whose memory is read without its help. Returns an exit status, after saying
 * why it is not 0. */
typedef int asking_outside_job(struct outside_vm *vm, void *with);

struct asking_line;

/** Whether the command line names a core file or has the option --outside. */
bool asking_is_outside(const struct asking_line *l);
/** Works like asking_each(), for a command line for which asking_is_outside() is true. */
int asking_each_outside(const struct asking_line *l, asking_outside_job *job, void *with);
/** Say why a JVM could not be asked. */
void asking_say_cause(const char *who, const struct attach *a, enum attach_cause cause);
/**
 * Send a command to the JVM, and print the JVM's reason if it refuses. Returns an exit status.
 * Owner: attach_reply_done(ret), whatever is returned.
 */
int asking_call(struct attach *a, const struct jvm *jvm, const char *name, const char *const *args,
                unsigned count, struct attach_reply *ret);
/** Sends a command like asking_call(), and prints the answer. */
int asking_print(struct attach *a, const struct jvm *jvm, const char *name, const char *const *args,
                 unsigned count);
/** Write a JVM's text to stdout. A file gets the text unchanged. On a terminal, line breaks and
 * tabs stay, and all other characters that are not plain (base/plain.h) become '?'. */
void asking_put(const char *text, size_t len);
/** Print an answer that should be one line of plain text, and a line break. */
void asking_put_line(const char *line);
enum { ASKING_WORDS = 8 };

/** The command line of a command that asks JVMs: its target, its words, and the values of the
 * options below that it has among its rows. */
struct asking_line {
    struct asking q;
    const char *words[ASKING_WORDS]; /* the words after the target */
    unsigned count;
    bool is_outside; /* --outside */
    struct outside_files files;
};

enum {
    ASKING_OPT_TIMEOUT = 1,
    ASKING_OPT_OUTSIDE,
    ASKING_OPT_EXE,
    ASKING_OPT_SYSROOT,
    ASKING_OPT_OWN, /* the ids of the command's own options begin here */
};

/** The rows of a command that can read a JVM without its help, and can read a core file. */
#define ASKING_CORE_ROWS                                                                           \
    {ASKING_OPT_EXE, 0, "exe", "FILE", "the core's java program here, its JDK beside it"},         \
    {                                                                                              \
        ASKING_OPT_SYSROOT, 0, "sysroot", "DIR",                                                   \
            "the files of the core's machine are below this folder"                                \
    }
#define ASKING_OUTSIDE_ROWS                                                                        \
    {ASKING_OPT_OUTSIDE, 0, "outside", NULL,                                                       \
     "read it without the JVM's help: of one that does not answer"},                               \
        ASKING_CORE_ROWS

/**
 * Take what opts_next() returned, unless it is one of the command's own options. Returns an exit
 * status if the command ends here, else a negative number.
 */
int asking_take(struct asking_line *l, const struct opts *opts, int id);
/** Check that there is a target and at most `max` words. Errors: 0; CMD_USAGE after saying why. */
int asking_check(const struct asking_line *l, unsigned max);
/**
 * Read the whole command line of a command that has no options of its own: asking_take() for each
 * word, then asking_check(). Returns an exit status if the command ends here, else a negative
 * number.
 */
int asking_read(struct asking_line *l, int argc, char **argv, unsigned max);
