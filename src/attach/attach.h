/*
 * attach.h - ask a live JVM, as the JDK's jcmd, jstack, jmap and jinfo do.
 *
 * A struct attach stands for one JVM. attach_look() looks at the JVM, attach_open() finds its
 * socket or makes the JVM open one, and each attach_call() uses a new connection, as the JVM
 * requires. Both versions of the protocol are supported. From JDK 24 on a JVM may write its answer
 * while it stops the program, so a slow reader would keep the program stopped: such a JVM is told
 * to collect the answer first.
 *
 * From attach_look() to attach_close() root acts as the user of the JVM: files that are made
 * meanwhile belong to that user, and only files that this user may read are read.
 *
 * The process at the socket may be hostile. So an answer has at most ATTACH_ANSWER_BYTES, and must
 * be complete within ATTACH_ANSWER_MS, or within the time that the caller gives. If the caller
 * blocks the signals that are to end its waits, it names them in socket.ending.
 *
 * Source: HotSpot attachListener.cpp, attachListener_posix.cpp; JDK VirtualMachineImpl.java
 * (linux). Context of everything here: any, not signal; one thread, one attach at a time.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "attach/attach_cause.h"
#include "attach/attach_socket.h"
#include "perfdata/perfdata_file.h"
#include "process/process_ids.h"

enum {
    ATTACH_TIMEOUT_MS = 10000,       /* how long the JDK's own tools wait for the socket */
    ATTACH_ANSWER_MS = 3600 * 1000,  /* for a whole answer; a large heap dump takes minutes */
    ATTACH_ANSWER_BYTES = 256 << 20, /* of a whole answer, at most; 160,000 frames are 19 MB */
    ATTACH_OLD_ARGS = 3,             /* count of arguments that every command of version 1 has */
    ATTACH_OLD_ARG_BYTES = 1024,     /* of an argument of version 1, at most */
    ATTACH_OLD_NAME_BYTES = 16,      /* of the name of a command of version 1, at most */
};

/* the number of a JVM that does not know the version of the protocol */
enum { ATTACH_REPLY_BAD_VERSION = 101 };

/**
 * The answer of a JVM: a line with a number, and text. The number is 0 if the JVM has carried out
 * the command. But several commands answer 0 and report their failure in the text (attach_load(),
 * attach_reply_says()).
 */
struct attach_reply {
    char *bytes; /* the whole answer, with a 0 behind it; malloc'ed */
    size_t len, room;
    int code;         /* the number in the first line */
    const char *text; /* in `bytes`: the text behind the first line */
    size_t text_len;
};

struct attach {
    struct attach_socket socket;
    int root;                      /* the JVM's root folder */
    char *libjvm;                  /* path, as the process names it */
    struct perfdata_file counters; /* the counters of the JVM; without rows if it has no file */
    struct process_ids before;
    uint64_t answer_ms; /* how long a whole answer may take; 0: ATTACH_ANSWER_MS */
    bool speaks_v2;     /* the JVM knows version 2 of the protocol */
    bool speaks_pieces; /* the JVM may write its answer in pieces ("streaming") */
};

/**
 * Look whether the JVM can be asked, without touching it: the function sends no signal, opens no
 * connection and makes no file. `timeout_ns` is how long each later step may take.
 *
 * Errors:  ATTACH_OK; a cause; for ATTACH_SYSTEM a->socket.error is -errno.
 * Owner:   attach_close(), also after an error.
 */
enum attach_cause attach_look(struct attach *a, pid_t pid, uint64_t timeout_ns);
/** Look at the JVM, find or make its socket, and learn which protocol it speaks. Errors and owner:
 * as attach_look(). */
enum attach_cause attach_open(struct attach *a, pid_t pid, uint64_t timeout_ns);
/**
 * Send a command with `count` arguments to the JVM, and wait for the end of its answer while the
 * JVM lives and runs. The head of this file says how long. ATTACH_OK says that there is an answer,
 * which may be a refusal.
 *
 * Errors:  as attach_look().
 * Owner:   attach_reply_done(ret), also after an error.
 */
enum attach_cause attach_call(struct attach *a, const char *name, const char *const *args,
                              unsigned count, struct attach_reply *ret);
/** Whether the JVM has ended. Waits for its end, at most `wait_ms`. */
bool attach_has_ended(const struct attach *a, int wait_ms);
void attach_close(struct attach *a);

/** Make room for `more` bytes behind `len`, and the 0. Errors: 0, -ENOMEM. */
int attach_reply_grow(struct attach_reply *r, size_t more);
/** Find the number and the text, after all bytes were received. Errors: 0; E_FORMAT,
 * E_TRUNCATED. */
int attach_reply_parse(struct attach_reply *r);
/** Whether the text begins with `prefix`. */
bool attach_reply_says(const struct attach_reply *r, const char *prefix);
void attach_reply_done(struct attach_reply *r);

/* An agent is loaded by the JVM itself, which opens the library: the path is below the JVM's own
 * root folder, and the JVM's user must be able to read the file. An agent that is loaded already is
 * called again each time. The reply says in all releases, in different ways, whether the JVM has
 * loaded it. */
enum attach_load_result {
    ATTACH_LOAD_DONE,   /* Agent_OnAttach was called and returned 0 */
    ATTACH_LOAD_FAILED, /* Agent_OnAttach was called and returned `code` */
    /* the library was not loaded; the reply's text says why, except on JDK 8 */
    ATTACH_LOAD_NOT_FOUND,
    ATTACH_LOAD_DISABLED, /* the JVM runs with -XX:-EnableDynamicAgentLoading */
};

/** Read the reply to a load. *ret_code becomes the number in the reply. */
enum attach_load_result attach_load_understand(const struct attach_reply *reply, int *ret_code);
/** Why a library was not loaded, in the JVM's words: the line of the system's loader, which follows
 * the JVM's own line, or the JVM's line if there is no other; "" if there is none. Returns a place
 * in the reply's text; *ret_len becomes the length of the line. */
const char *attach_load_reason(const struct attach_reply *reply, int *ret_len);
/** Load an agent; a JVM that is still starting is waited for, 10 seconds at most. `library` is an
 * absolute path, or a name as after -agentlib:. `options` may be NULL. The caller frees `reply`,
 * also after an error. */
enum attach_cause attach_load(struct attach *a, const char *library, const char *options,
                              struct attach_reply *reply, enum attach_load_result *ret_result,
                              int *ret_code);
