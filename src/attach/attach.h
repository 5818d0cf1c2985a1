/*
 * attach.h - ask a live JVM, as the JDK's jcmd, jstack, jmap and jinfo do.
 *
 * One attach is one JVM: it is looked at, its socket is found or asked for, and then each call is a
 * connection of its own, as the JVM wants it. Both versions of the protocol are spoken; where the
 * JVM would write its answer while it stops the program, and so stop it for as long as its reader
 * is slow (JDK 24 and later), it is told to write it down first.
 *
 * Whoever is root acts as the user of the JVM from attach_look() to attach_close(): files that are
 * made meanwhile belong to that user, and only what he may read is read.
 *
 * What listens there may be hostile: an answer has ATTACH_ANSWER_BYTES at most and comes within
 * ATTACH_ANSWER_MS, or the time that the caller gives. A caller that blocks the signals that are to
 * end its waits names them in socket.ending.
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
    ATTACH_TIMEOUT_MS = 10000,       /* what the JDK's own tools wait for the socket */
    ATTACH_ANSWER_MS = 3600 * 1000,  /* for a whole answer; a large heap dump takes minutes */
    ATTACH_ANSWER_BYTES = 256 << 20, /* 160,000 frames are 19 MB */
    ATTACH_OLD_ARGS = 3,             /* so many has a command of version 1, always */
    ATTACH_OLD_ARG_BYTES = 1024,     /* and so long is each at most, */
    ATTACH_OLD_NAME_BYTES = 16,      /* and the command itself */
};

struct attach {
    struct attach_socket socket;
    int root;                      /* the JVM's root folder */
    char *libjvm;                  /* as the process names it */
    struct perfdata_file counters; /* those of the JVM; without rows where it has no file */
    struct process_ids before;
    uint64_t answer_ms; /* how long a whole answer may take; 0: ATTACH_ANSWER_MS */
    bool speaks_v2;     /* the JVM knows version 2 of the protocol */
    bool speaks_pieces; /* and may write its answer in pieces ("streaming") */
};

/**
 * Look whether the JVM can be asked, without touching it: no signal, no connection, no file.
 * `timeout_ns` is how long each later step may take.
 *
 * Errors: ATTACH_OK; a cause, a->socket.error is -errno for ATTACH_SYSTEM. Owner: attach_close(),
 *         also after an error.
 */
enum attach_cause attach_look(struct attach *a, pid_t pid, uint64_t timeout_ns);
/** Look, find or make the socket, and learn what the JVM speaks. Errors and owner as above. */
enum attach_cause attach_open(struct attach *a, pid_t pid, uint64_t timeout_ns);
/**
 * Send a command of the JVM with `count` arguments, and wait for the end of its answer while the
 * JVM lives and runs, for as long as the head of this file says. ATTACH_OK says that there is an
 * answer, be it a refusal.
 *
 * Errors: as above. Owner: attach_reply_done(ret), also after an error.
 */
enum attach_cause attach_call(struct attach *a, const char *name, const char *const *args,
                              unsigned count, struct attach_reply *ret);
/** Whether the JVM has ended; waits `wait_ms` for that at most. */
bool attach_has_ended(const struct attach *a, int wait_ms);
void attach_close(struct attach *a);
