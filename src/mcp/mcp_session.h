/*
 * mcp_session.h - what the messages of a client mean: JSON-RPC 2.0, one message a line.
 *
 * This file runs nothing. A message gets its reply here, or it is a call, which the caller carries
 * out. Source: the specification of the Model Context Protocol, 2024-11-05 to 2025-06-18.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include "mcp/mcp_json.h"
#include "mcp/mcp_tool.h"

enum { MCP_MESSAGE_BYTES = 1 << 20 }; /* the longest message that is taken */

/** A session: who the client is, and what its user allows. */
struct mcp_session {
    unsigned allowed; /* a bit for each enum mcp_need */
    bool is_begun;    /* the client has said which protocol it speaks */
};

enum mcp_take {
    MCP_TAKE_NOTHING, /* a notification, or an answer to nothing */
    MCP_TAKE_REPLY,   /* `reply` goes to the client */
    MCP_TAKE_CALL,    /* `tool` is to be called with `arguments` */
    MCP_TAKE_CANCEL,  /* the call with this id is not wanted any more */
};

struct mcp_taken {
    enum mcp_take what;
    struct json_object *reply;
    struct json_object *id, *arguments; /* arguments: NULL if there are none */
    const struct mcp_tool *tool;
};

/** Takes one message, without its line end. Owner: mcp_session_taken_done(). */
void mcp_session_take(struct mcp_session *s, const char *line, size_t len, struct mcp_taken *ret);
void mcp_session_taken_done(struct mcp_taken *taken);
/** The reply that a request was refused; -32000: this server cannot do it now. `id` NULL: unknown.
 * The result is the caller's. */
struct json_object *mcp_session_error(const struct json_object *id, int code, const char *text);
/** The reply with a result, which it takes over. */
struct json_object *mcp_session_result(const struct json_object *id, struct json_object *result);
