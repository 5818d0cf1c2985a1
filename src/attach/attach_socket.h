/*
 * attach_socket.h - the socket at which a JVM listens: find it, make the JVM open it, connect to
 * it.
 *
 * When a JVM gets SIGQUIT and finds a file .attach_pidN, it makes /tmp/.java_pidN. N is the number
 * of the process in its own namespace. A process without a handler for SIGQUIT never gets the
 * signal from us, because the signal would end it. A socket that does not belong to the JVM is
 * never used, whoever owns it. Source: HotSpot attachListener_posix.cpp. Context: any, not signal;
 * one thread; the caller has taken on the ids of the process (process/process_ids.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "attach/attach_cause.h"
#include "process/process.h"

struct attach_socket {
    struct process process;
    /* stands for this process even if its number is used again; -1: an old kernel */
    int pidfd;
    int tmp;                   /* the process's /tmp, or -errno */
    int cwd;                   /* the process's working folder, or -errno */
    unsigned quits;            /* how often SIGQUIT was sent to the JVM */
    uint64_t timeout_ns;       /* for each step: a connection, or the making of the socket */
    int error;                 /* -errno of the last cause, or 0 */
    void (*waits)(void *with); /* called now and then while an answer is awaited; may be NULL */
    void *waits_with;
    /* signals that the caller blocks; if one of them is pending, a wait ends. NULL: none is
     * blocked */
    const sigset_t *ending;
};

/**
 * Connect to the socket if it exists.
 *
 * Errors:  ATTACH_OK; ATTACH_NO_SOCKET: it does not exist, or no process listens at it any more;
 *          ATTACH_NO_ANSWER, ATTACH_OTHER_OWNER, ATTACH_INTERRUPTED, ATTACH_SYSTEM.
 * Owner:   the caller closes *ret_fd, which is set only with ATTACH_OK.
 */
enum attach_cause attach_socket_connect(struct attach_socket *s, int *ret_fd);
/** Make the JVM open its socket, and connect. Only for a JVM that has a handler for SIGQUIT. */
enum attach_cause attach_socket_ask(struct attach_socket *s, int *ret_fd);
/** Whether a signal of s->ending is pending. */
bool attach_socket_is_interrupted(const struct attach_socket *s);
/** Whether there is a file of any kind at the path of the socket. */
bool attach_socket_is_there(const struct attach_socket *s);
/** Whether the file system of the process's /tmp is mounted writable. */
bool attach_socket_tmp_is_writable(const struct attach_socket *s);
