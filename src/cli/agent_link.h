/*
 * agent_link.h - the agent in a JVM that is attached to: put where the JVM finds it, and told.
 *
 * A JVM that has the agent is told to call that one; another copy would know nothing of its
 * recordings. Else the library is named at its own path where the JVM sees it there and its user
 * may read it; if not, or if it is carried in this program, it is put there (cli/agent_place.h).
 * The answer comes in a file in the JVM's /tmp, which is removed. Names there hold a number that
 * nobody guesses, as there may be askers in several namespaces of processes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include "attach/attach_load.h"
#include "attach/jvms.h"

struct cmd;

enum { AGENT_LINK_ANSWER = 4096 };

/** What has become of a command. */
enum agent_link_end {
    AGENT_LINK_DONE,
    AGENT_LINK_REFUSED,     /* the agent says no */
    AGENT_LINK_NO_AGENT,    /* the JVM did not load it, or what it has answers otherwise */
    AGENT_LINK_SILENT,      /* there is no answer, and the JVM lives; it may obey all the same */
    AGENT_LINK_INTERRUPTED, /* a signal of attach->socket.ending came; likewise */
    AGENT_LINK_GONE,        /* the JVM has ended */
};

struct agent_link {
    struct attach *attach;          /* open; borrowed */
    const struct jvm *jvm;          /* borrowed */
    const struct cmd *cmd;          /* whose words say why the agent says no; NULL: the agent's */
    char library[PATH_MAX];         /* as the JVM names it */
    bool is_loaded;                 /* the JVM has had it before */
    int hold;                       /* it was put there, and is kept until it is loaded; -1 none */
    unsigned commands;              /* sent so far */
    enum agent_link_end end;        /* of the last of them */
    bool is_quiet;                  /* that the agent says no is not told */
    uint64_t nonce;                 /* in the names of files that are made for it */
    char answer[AGENT_LINK_ANSWER]; /* what is behind "hprof/1 ok " or "hprof/1 error " */
};

/** `library`: our own copy of it, NULL: the one that is carried. Errors: 0; CMD_FAILED, after
 * saying why. Owner: agent_link_close(), also after an error. */
int agent_link_open(struct agent_link *l, struct attach *a, const struct jvm *jvm,
                    const char *library);
/** Only if the JVM has the agent; else CMD_FAILED, after saying so. */
int agent_link_open_loaded(struct agent_link *l, struct attach *a, const struct jvm *jvm);
/** The JVM is told nothing more. What was put there for it is removed if it has ended, or has not
 * loaded it. */
void agent_link_close(struct agent_link *l);
/**
 * Send "WORD,ITEMS". Errors: 0, and l->answer; CMD_FAILED, and l->end, after saying why. That the
 * JVM has ended, or a signal came, is left for the caller to say.
 */
int agent_link_send(struct agent_link *l, const char *command);
/** The value of a word of the answer, as in id=1: the number; 0 none. */
uint64_t agent_link_number(const struct agent_link *l, const char *name);
/** The file that the answer ends with; NULL none. */
const char *agent_link_file(const struct agent_link *l);
