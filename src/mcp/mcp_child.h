/*
 * mcp_child.h - a command of hprof that runs in a process of its own, and what it prints.
 *
 * The child leads a process group, gets no standard input, and ends with this process. Its output
 * is kept up to a bound; what is beyond is read and dropped, and counted.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "command/textbuf.h"
#include "process/process_child.h"

struct mcp_line;

enum { MCP_CHILD_KEPT = 16 << 20, MCP_CHILD_SAID = 16 << 10 };

enum mcp_child_end { MCP_CHILD_ENDED, MCP_CHILD_TOO_LONG, MCP_CHILD_CANCELLED };

struct mcp_child {
    struct process_child process;
    int out, said; /* its output and its messages; -1: ended */
    enum mcp_child_end end;
    int status;                /* exit status; 128 + signal */
    struct textbuf text, told; /* what came from `out` and from `said` */
    uint64_t bytes;            /* all of its output, also what was dropped */
};

/**
 * Starts `program` with the words of the line, in the folder `root`.
 * Errors:  0; -errno. Owner: mcp_child_done(), also after an error.
 */
int mcp_child_start(struct mcp_child *c, const char *program, const struct mcp_line *line, int root,
                    uint64_t timeout_ns);
/** Reads what there is from one of the two descriptors. */
void mcp_child_read(struct mcp_child *c, int fd);
/** Whether the child has closed both, so that mcp_child_wait() will not wait for long. */
bool mcp_child_is_over(const struct mcp_child *c);
/** Ends the child and all of its group because of `end`: asks the first time, so that it puts in
 * order what it has begun, and kills when it still runs after some seconds. */
void mcp_child_stop(struct mcp_child *c, enum mcp_child_end end);
/** Waits for its end and fills `status`. */
void mcp_child_wait(struct mcp_child *c);
void mcp_child_done(struct mcp_child *c);
