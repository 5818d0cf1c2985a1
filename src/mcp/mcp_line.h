/*
 * mcp_line.h - the command line of a call: a tool's row and the arguments of a client become words.
 *
 * Nothing that a client sends becomes an option by itself: values of options are joined to them by
 * '=', and words stand after "--". Files are opened here, below the root folder; the command gets
 * them as /proc/self/fd/N, so that nobody can put another file in their place.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include "mcp/mcp_json.h"
#include "mcp/mcp_tool.h"

/* A command has few words; a call names few files. */
enum { MCP_LINE_WORDS = 64, MCP_LINE_FILES = 16, MCP_LINE_WHY = 256, MCP_LINE_FD_NAME = 32 };

/** What a client may reach. */
struct mcp_reach {
    int root;                   /* descriptor of the root folder */
    const char *tmp;            /* takes the place of {tmp} in a row's words */
    const char *const *targets; /* patterns of JVMs, a NULL at the end; NULL: all JVMs */
    /* Finds the process that a word of a client means. Errors: 0; negative, with `why` filled. */
    int (*find)(const char *word, const char *const *targets, long *ret_pid,
                char why[MCP_LINE_WHY]);
};

struct mcp_line {
    char *words[MCP_LINE_WORDS]; /* "hprof", the command ...; a NULL at the end */
    size_t count;
    struct mcp_line_file {
        int fd;
        char *name;                     /* as the client wrote it */
        char fd_name[MCP_LINE_FD_NAME]; /* as the command gets it */
    } files[MCP_LINE_FILES];
    size_t file_count;
    char why[MCP_LINE_WHY]; /* what is wrong with the arguments */
};

/**
 * Makes the line. `arguments` is an object or NULL.
 * Errors:  0; -1 with `why` filled. Owner: mcp_line_done(), also after an error.
 */
int mcp_line_make(struct mcp_line *line, const struct mcp_tool *tool,
                  const struct json_object *arguments, const struct mcp_reach *reach);
void mcp_line_done(struct mcp_line *line);
