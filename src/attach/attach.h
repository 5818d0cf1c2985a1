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
#include "attach/attach_cause.h"
#include "attach/attach_reply.h"
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
