/*
 * mcp_answer.h - what a client gets of an answer: plain text, without secrets, of bounded length.
 *
 * All text comes from programs that are looked at, and is not trusted: characters that are not
 * plain (base/plain.h) become '?', but for line ends and tabs. Values of keys that base/secret.h
 * calls secret are replaced. The last answers are kept, so that a client can read on where one was
 * cut.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"
#include "mcp/mcp_child.h"
#include "mcp/mcp_json.h"
#include "mcp/mcp_line.h"

enum { MCP_ANSWERS = 8 };

struct mcp_answer {
    int64_t number; /* 0: none */
    struct textbuf text;
    uint64_t bytes; /* of the whole output, also what was not kept */
    unsigned redacted;
};

struct mcp_answers {
    struct mcp_answer kept[MCP_ANSWERS];
    int64_t count;
    size_t bound; /* bytes of an answer that are shown at once */
};

void mcp_answer_done(struct mcp_answers *a);
/** The result of a call whose child has ended. Takes the child's text over. NULL: no memory. */
struct json_object *mcp_answer_of_child(struct mcp_answers *a, const struct mcp_tool *tool,
                                        struct mcp_child *c, const struct mcp_line *line);
/** The result of a call that this server has answered itself. Takes `text` over. */
struct json_object *mcp_answer_of_text(struct mcp_answers *a, struct textbuf *text);
/** The result of a call that could not be made: `why` tells the client what to change. */
struct json_object *mcp_answer_refused(const char *why);
/** The part of a kept answer that begins at byte `offset`. */
struct json_object *mcp_answer_rest(const struct mcp_answers *a, int64_t number, int64_t offset);

/** Replaces secret values of "key=value" words; adds how many. Public for tests. */
void mcp_answer_redact(struct textbuf *text, unsigned *count);
