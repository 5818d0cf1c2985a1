/*
 * jdwp_serve.h - the socket of a server for debuggers: one debugger at a time, of this user, on the
 * loopback interface.
 *
 * JDWP has no password, and who is connected may read all that the JVM knows. So the server listens
 * only on 127.0.0.1, and refuses a peer whose socket belongs to another user than ours or root
 * (view/peer_owner.h). Packets, replies and times are bounded.
 * Context: any, not signal; one thread.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "view/serve_place.h"

struct jdwp_vm;

enum jdwp_serve_event {
    JDWP_SERVE_REFUSED, /* a peer of another user */
    JDWP_SERVE_BUSY,    /* a peer that came while another is served */
    JDWP_SERVE_LATE,    /* the debugger did not take its reply, or did not greet in time */
    JDWP_SERVE_STRANGE, /* what came is no JDWP */
    JDWP_SERVE_LEFT,    /* the debugger has gone */
};

struct jdwp_serve {
    int fd;
    struct serve_place place; /* must be local and no path: jdwp_serve_is_safe() */
    /** A debugger has come: the JVM that it sees, or NULL: the server ends. Borrowed until end().
     */
    struct jdwp_vm *(*begin)(void *with);
    /** The debugger has gone. Returns whether the server goes on. */
    bool (*end)(void *with);
    /** Called at least four times a second; true: the server ends, also in the middle of a
     * conversation. */
    bool (*is_over)(void *with);
    void (*tell)(void *with, enum jdwp_serve_event event);
    void *with;
};

/** Whether a place is an address of the loopback interface in IPv4. */
bool jdwp_serve_is_safe(const struct serve_place *place);
/** Listen. Errors: 0; as serve_place_listen(). Owner: jdwp_serve_close(), also after an error. */
int jdwp_serve_open(struct jdwp_serve *s);
/** Serve one debugger after the other. Errors: 0; -errno. */
int jdwp_serve_run(struct jdwp_serve *s);
void jdwp_serve_close(struct jdwp_serve *s);
