/*
 * listen.h - the server behind `hprof listen`: waits for agents, reads them, sends them commands.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include "cli/listen_peer.h"

struct listen_request {
    const char *address; /* [HOST:]PORT */
    const char *output;  /* NULL: a name for each peer */
    const char *script;  /* commands for each peer, "" none */
    uint64_t wait_ns;    /* for the first peer; 0 for ever */
    bool keep;           /* go on when a peer has ended */
    enum listen_peer_show show;
};

/** Do all of it. Returns 0, or negative after saying why: -EINVAL for an address that is none. */
int listen_serve(const struct listen_request *request);
