/*
 * mcp.h - the server: messages on standard input, answers on standard output, a line each.
 *
 * One call runs at a time; others wait in a short queue. While a call runs, messages are read, so
 * that a ping is answered and the call can be cancelled. The server ends when its input ends.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "mcp/mcp_line.h"

/** What the user allows. */
struct mcp_how {
    const char *program;    /* the path of hprof itself */
    struct mcp_reach reach; /* Owner: the caller */
    unsigned allowed;       /* a bit for each enum mcp_need */
    size_t answer_bytes;    /* of an answer that are shown at once */
    uint64_t timeout_ns;    /* of a call */
    int in, out;
};

/** Serves until the input ends. Errors: 0; -errno of the input or output; -ENOMEM. */
int mcp_serve(const struct mcp_how *how);
