/*
 * listen.h - the server of `hprof listen`: it waits for agents, reads their output and sends them
 * commands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "listen/listen_peer.h"

struct listen_request {
    const char *address; /* [HOST:]PORT */
    const char *output;  /* NULL: a name for each peer */
    const char *script;  /* commands for each peer; "": none */
    uint64_t wait_ns;    /* how long to wait for the first peer; 0: without limit */
    bool keep;           /* go on after a peer has ended */
    enum listen_peer_show show;
};

/** Run the server. Returns 0, or negative after saying why; -EINVAL: the address is malformed. */
int listen_serve(const struct listen_request *request);
