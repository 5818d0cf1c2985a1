/*
 * attach_socket.h - the socket at which a JVM listens: found, asked for, connected to.
 *
 * The JVM makes /tmp/.java_pidN when it finds a file .attach_pidN on SIGQUIT; N is its own number
 * for itself. A process that has no handler for SIGQUIT is never sent one: it would end. A socket
 * that is not the JVM's own is not believed, whoever's it is. Source: HotSpot
 * attachListener_posix.cpp. Context: any, not signal; one thread; ids of the process are taken on
 * (process/process_ids.h). SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include "attach/attach_cause.h"
#include "process/process.h"

struct attach_socket {
    struct process process;
    int pidfd;           /* the process itself, however its number is used later; -1: old kernel */
    int tmp;             /* its /tmp, or -errno */
    int cwd;             /* its working folder, or -errno */
    unsigned quits;      /* how often the JVM was signalled for its socket */
    uint64_t timeout_ns; /* for each step: a connection, the making of the socket */
    int error;           /* -errno behind the last cause, 0 */
    void (*waits)(void *with); /* called now and then while an answer is waited for; NULL: nobody */
    void *waits_with;
    const sigset_t *ending; /* blocked; one that is pending ends a wait. NULL: none is blocked */
};

/**
 * Connect to the socket if it is there. ATTACH_NO_SOCKET: it is not, or nobody listens at it any
 * more. ATTACH_NO_ANSWER, ATTACH_OTHER_OWNER, ATTACH_INTERRUPTED, ATTACH_SYSTEM. *ret_fd: the
 * caller's, only with ATTACH_OK.
 */
enum attach_cause attach_socket_connect(struct attach_socket *s, int *ret_fd);
/** Have the JVM make its socket, and connect. Only for a JVM that catches SIGQUIT. */
enum attach_cause attach_socket_ask(struct attach_socket *s, int *ret_fd);
/** Whether a signal of s->ending is pending. */
bool attach_socket_is_interrupted(const struct attach_socket *s);
/** Whether there is a file, of whatever kind, where the socket would be. */
bool attach_socket_is_there(const struct attach_socket *s);
/** Whether files can be made in its /tmp, for all that the mount says. */
bool attach_socket_tmp_is_writable(const struct attach_socket *s);
