/*
 * mcp_tool.h - the tools that an assistant may call, as rows.
 *
 * A tool is a command of hprof. Its parameters become options ("--from=12s") or, after "--", words
 * of the command line, so that no value can be taken for another option. A tool that a row cannot
 * say has a function in mcp_own.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/** What a tool does to others. The user allows the last four one by one. */
enum mcp_need {
    MCP_READS,    /* files below the root folder, and what this server remembers */
    MCP_LOOKS,    /* reads a JVM from outside while it runs: /proc, counters, memory */
    MCP_STOPS,    /* the JVM stands still for moments */
    MCP_ATTACHES, /* the JVM answers, at a safepoint */
    MCP_RECORDS,  /* a library is loaded into the JVM, and a file is written */
    MCP_DUMPS,    /* the heap is written into a file */
    MCP_NEEDS
};

enum mcp_as {
    MCP_FILE,     /* a file below the root folder, as a word */
    MCP_FILES,    /* several of them */
    MCP_TARGET,   /* a JVM, as a word that is the number of its process */
    MCP_WORD,     /* any text, as a word */
    MCP_OPTION,   /* any text or number, as the value of `option` */
    MCP_SWITCH,   /* a boolean: `option` is given, or not */
    MCP_NEW_FILE, /* the name of a file that is to be made in the root folder, as `option`'s value
                   */
    MCP_OWN,      /* for a tool that has a function */
};

enum mcp_type { MCP_STRING, MCP_INTEGER, MCP_BOOLEAN, MCP_ARRAY };

/** A parameter; the last row of a list has no name. */
struct mcp_param {
    const char *name, *about;
    enum mcp_as as;
    enum mcp_type type;
    bool is_required;
    const char *option; /* of MCP_OPTION, MCP_SWITCH and MCP_NEW_FILE: "--from" */
    const char *values; /* the words that it can be, separated by blanks; NULL: any */
};

enum mcp_own { MCP_NOTHING, MCP_LISTS_FILES, MCP_READS_ON };

struct mcp_tool {
    const char *name, *title, *about;
    enum mcp_need need;
    bool is_json;             /* the command prints one JSON value */
    enum mcp_own own;         /* not a command: what this server does itself */
    const char *const *words; /* the command and the options that it always gets; NULL at the end */
    const struct mcp_param *params;
};

extern const struct mcp_tool mcp_tool_all[];
extern const size_t mcp_tool_count;

const struct mcp_tool *mcp_tool_named(const char *name);
/** The word of --allow for what a tool does; NULL: it needs none. */
const char *mcp_tool_need_word(enum mcp_need need);
