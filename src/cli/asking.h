/*
 * asking.h - what every command that asks live JVMs does: find them, attach, tell what went wrong.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "attach/attach.h"
#include "attach/jvms.h"
#include "cli/outside_vm.h"

struct cmd;
struct opts;

/** What the row of --timeout says in each command. */
#define ASKING_TIMEOUT_HELP "wait so long for the JVM to take a connection (10s) and to answer (1h)"

struct asking {
    const struct cmd *cmd;
    const char *target;  /* the word of the command line */
    uint64_t timeout_ns; /* 0: as the JDK's own tools */
    bool is_single;      /* "all" is refused */
    bool is_labelled;    /* a line "PID:" before what each JVM says, as jcmd has it */
};

/** What is done with one JVM. Returns an exit status, after saying why it is not 0. */
typedef int asking_job(struct attach *a, const struct jvm *jvm, void *with);

/** Do `job` with each JVM that is meant. Returns the largest of the exit statuses. */
int asking_each(const struct asking *q, asking_job *job, void *with);
/** What is done with one VM that is read without its help. Returns as above. */
typedef int asking_outside_job(struct outside_vm *vm, void *with);

struct asking_line;

/** Whether the command line names a core, or wants no help of the JVM. */
bool asking_is_outside(const struct asking_line *l);
/** As asking_each(), for such a command line. */
int asking_each_outside(const struct asking_line *l, asking_outside_job *job, void *with);
/** Say why a JVM could not be asked. */
void asking_say_cause(const char *who, const struct attach *a, enum attach_cause cause);
/**
 * Send a command, and say what there is to say if the JVM refuses it. Returns an exit status.
 * Owner: attach_reply_done(ret), whatever comes back.
 */
int asking_call(struct attach *a, const struct jvm *jvm, const char *name, const char *const *args,
                unsigned count, struct attach_reply *ret);
/** The same, and print the answer. */
int asking_print(struct attach *a, const struct jvm *jvm, const char *name, const char *const *args,
                 unsigned count);
/** Text of a JVM to stdout: as it is, but of what is not plain a terminal gets line breaks and tabs
 * alone (base/plain.h). */
void asking_put(const char *text, size_t len);
/** An answer of one line, where nothing but plain text is meant, and a line break. */
void asking_put_line(const char *line);
enum { ASKING_WORDS = 8 };

/** The command line of such a command: its target, words, and those of these options that stand
 * among its rows. */
struct asking_line {
    struct asking q;
    const char *words[ASKING_WORDS]; /* behind the target */
    unsigned count;
    bool is_outside; /* --outside */
    struct outside_files files;
};

enum {
    ASKING_OPT_TIMEOUT = 1,
    ASKING_OPT_OUTSIDE,
    ASKING_OPT_EXE,
    ASKING_OPT_SYSROOT,
    ASKING_OPT_OWN, /* the command's own begin here */
};

/** Rows of a command that can do without the JVM's help, and takes a core. */
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
 * Take what opts_next() returned, if it is none of the command's own options. Returns an exit
 * status if that is the end of it, else negative.
 */
int asking_take(struct asking_line *l, const struct opts *opts, int id);
/** Whether there is a target, and at most `max` words. 0; CMD_USAGE after saying why. */
int asking_check(const struct asking_line *l, unsigned max);
/**
 * The whole command line of a command that has no options of its own: asking_take() each word, and
 * asking_check(). Returns an exit status if that is the end of the command, else negative.
 */
int asking_read(struct asking_line *l, int argc, char **argv, unsigned max);
