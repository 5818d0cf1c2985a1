/*
 * mcp_child.c - see mcp_child.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp_child.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include "mcp/mcp_line.h"

enum { PIECE = 1 << 16 };

/* In the child. It has one thread, and only calls that are safe after fork(). */
static _Noreturn void become(const char *program, const struct mcp_line *line, int root)
{
    bool is_ready = fchdir(root) == 0;
    for (size_t i = 0; is_ready && i < line->file_count; i++)
        is_ready = fcntl(line->files[i].fd, F_SETFD, 0) == 0;
    if (is_ready)
        execv(program, line->words);
    _exit(PROCESS_CHILD_CANNOT_RUN);
}

int mcp_child_start(struct mcp_child *c, const char *program, const struct mcp_line *line, int root,
                    uint64_t timeout_ns)
{
    int out[2], said[2];
    *c = (struct mcp_child){.out = -1, .said = -1};
    if (pipe2(out, O_CLOEXEC) < 0)
        return -errno;
    if (pipe2(said, O_CLOEXEC) < 0) {
        int error = -errno;
        close(out[0]);
        close(out[1]);
        return error;
    }
    const struct process_child_how how = {.in = -1,
                                          .out = out[1],
                                          .said = said[1],
                                          .dies_by = SIGKILL,
                                          .leads_group = true,
                                          .limit_ns = timeout_ns};
    pid_t pid = process_child_start(&c->process, &how);
    if (pid == 0)
        become(program, line, root);
    close(out[1]);
    close(said[1]);
    c->out = out[0];
    c->said = said[0];
    return pid < 0 ? pid : 0;
}

static void keep(struct textbuf *t, const char *bytes, size_t len, size_t most)
{
    size_t left = t->len < most ? most - t->len : 0;
    textbuf_bytes(t, bytes, len < left ? len : left);
}

void mcp_child_read(struct mcp_child *c, int fd)
{
    char piece[PIECE];
    int *place = fd == c->out ? &c->out : &c->said;
    ssize_t got = read(fd, piece, sizeof(piece));
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (got <= 0) {
        close(fd);
        *place = -1;
        return;
    }
    if (fd == c->out) {
        c->bytes += (uint64_t)got;
        keep(&c->text, piece, (size_t)got, MCP_CHILD_KEPT);
    } else {
        keep(&c->told, piece, (size_t)got, MCP_CHILD_SAID);
    }
}

bool mcp_child_is_over(const struct mcp_child *c)
{
    return c->out < 0 && c->said < 0;
}

void mcp_child_stop(struct mcp_child *c, enum mcp_child_end end)
{
    if (c->process.pid > 0 && c->end == MCP_CHILD_ENDED)
        c->end = end;
    process_child_end(&c->process);
}

void mcp_child_wait(struct mcp_child *c)
{
    if (c->process.pid <= 0)
        return;
    process_child_wait(&c->process);
    c->status = process_child_status(&c->process);
}

void mcp_child_done(struct mcp_child *c)
{
    if (c->process.pid > 0) {
        kill(-c->process.pid, SIGKILL);
        mcp_child_wait(c);
    }
    if (c->out >= 0)
        close(c->out);
    if (c->said >= 0)
        close(c->said);
    c->out = c->said = -1;
    textbuf_done(&c->text);
    textbuf_done(&c->told);
}
