/*
 * agent_link.h - a connection to the agent in one JVM: makes the agent library visible to the JVM,
 * and sends commands to the agent.
 *
 * If the JVM has already loaded the agent, the JVM is told to call that copy, because another copy
 * would know nothing of its recordings. Otherwise the library is named by its own path if the JVM
 * sees the library there and the JVM's user may read it. In all other cases (for example when the
 * library is carried in this program) a copy is put into a folder that the JVM sees
 * (jvm/agent_place.h).
 *
 * The agent writes its answer into a file in the JVM's /tmp, and agent_link_send() removes the
 * file. The name of that file holds a random number, because commands in several PID namespaces may
 * ask the same JVM.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "attach/attach.h"
#include "attach/jvms.h"

struct cmd;

enum { AGENT_LINK_ANSWER = 4096 };

/** The result of a command. */
enum agent_link_end {
    AGENT_LINK_DONE,
    AGENT_LINK_REFUSED,     /* the agent refuses the command */
    AGENT_LINK_NO_AGENT,    /* the JVM did not load the library, or has a different one */
    AGENT_LINK_SILENT,      /* no answer came, and the JVM lives; the agent may still obey */
    AGENT_LINK_INTERRUPTED, /* a signal of attach->socket.ending came; the agent may still obey */
    AGENT_LINK_GONE,        /* the JVM has ended */
};

struct agent_link {
    struct attach *attach;  /* open; borrowed */
    const struct jvm *jvm;  /* borrowed */
    const struct cmd *cmd;  /* its option names explain a refusal; NULL: the agent's words */
    char library[PATH_MAX]; /* the path as the JVM names it */
    bool is_loaded;         /* the JVM had the library before this connection */
    int hold;               /* descriptor that keeps a placed library until it is loaded; -1 none */
    unsigned commands;      /* the number of commands sent so far */
    enum agent_link_end end;        /* the result of the last command */
    bool is_quiet;                  /* do not print a message when the agent refuses */
    uint64_t nonce;                 /* the random number in the names of answer files */
    char answer[AGENT_LINK_ANSWER]; /* the text after "hprof/1 ok " or "hprof/1 error " */
};

/** Open the connection. `library` is the path of the agent library; NULL: the library that this
 * program carries.
 * Errors: 0; CMD_FAILED, after saying why. Owner: agent_link_close(), also after an error. */
int agent_link_open(struct agent_link *l, struct attach *a, const struct jvm *jvm,
                    const char *library);
/** Open the connection only if the JVM has the agent. Otherwise say so and return CMD_FAILED. */
int agent_link_open_loaded(struct agent_link *l, struct attach *a, const struct jvm *jvm);
/** Close the connection without another command. The copies of the library that were put there for
 * the JVM are removed if the JVM has ended or has not loaded them. */
void agent_link_close(struct agent_link *l);
/**
 * Send "WORD,ITEMS".
 * Errors: 0, and l->answer holds the answer; CMD_FAILED after saying why, and l->end holds the
 * cause. The caller itself says that the JVM has ended (AGENT_LINK_GONE) or that a signal came
 * (AGENT_LINK_INTERRUPTED).
 */
int agent_link_send(struct agent_link *l, const char *command);
/** The number of one word of the answer: 1 for the name "id" and the answer "id=1"; 0 if there is
 * no such word. */
uint64_t agent_link_number(const struct agent_link *l, const char *name);
/** The file name at the end of the answer (" file=NAME"); NULL: the answer has none. */
const char *agent_link_file(const struct agent_link *l);

/* ---- a recording that has been started, but whose classes may not all be changed yet
 *
 * Up to JDK 11 the agent changes loaded classes a few at a time, which takes minutes if a program
 * has thousands of classes. Until all classes are changed, an engine that counts calls exactly
 * misses calls. */

/** How many classes of recording `id` still wait to be changed. 0: none, or there was no answer and
 * agent_link_send() has said so. */
unsigned agent_link_left(struct agent_link *l, unsigned id);
/** Say that `left` classes still wait, if there are any. */
void agent_link_say_left(const struct agent_link *l, unsigned left);

/* ---- files that a command left behind, because it was killed before it could fetch or remove them
 *
 * While a process writes a file or waits for it, the agent or the command locks the file, in any
 * JVM and container. A file without a lock that has not changed for a minute belongs to no process.
 * Most files have no name until they are complete (jvm/held_file.h); this is for the others. */

/** Removes from a folder the user's own files with our names: a prefix for a heap, a recording or
 * an answer, 16 hexadecimal digits, then any text. Says so in the name of `who`, except for
 * answers. The folder stays open. */
void agent_link_sweep(const char *who, int folder);
