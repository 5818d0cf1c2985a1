/*
 * mcp.c - see mcp.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "mcp/mcp.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/say.h"
#include "mcp/mcp_answer.h"
#include "mcp/mcp_child.h"
#include "mcp/mcp_files.h"
#include "mcp/mcp_session.h"
#include "safe/clock.h"

enum { WAITING = 32, PIECE = 1 << 16, BUSY = -32000, TOO_LONG = -32600 };

struct serving {
    const struct mcp_how *how;
    struct mcp_session session;
    struct mcp_answers answers;
    struct textbuf input; /* what came of a message so far */
    bool skips;           /* the rest of a message that was too long */
    bool has_ended;       /* the input */
    int error;
    struct mcp_child child;
    struct mcp_line line;
    struct mcp_taken now;              /* the call that runs; its tool is NULL if none does */
    uint64_t began_at;                 /* of that call */
    struct mcp_taken waiting[WAITING]; /* the oldest first */
    size_t waiting_count;
};

/* ---- output */

static void write_all(struct serving *s, const char *bytes, size_t len)
{
    while (len > 0 && s->error == 0) {
        ssize_t written = write(s->how->out, bytes, len);
        if (written < 0 && errno != EINTR)
            s->error = -errno;
        if (written > 0)
            bytes += written, len -= (size_t)written;
    }
}

/* Sends a message, which it takes over. A message that could not be made is not sent. */
static void send_message(struct serving *s, struct json_object *message)
{
    const char *text = message ? mcp_json_write(message) : NULL;
    if (text) {
        write_all(s, text, strlen(text));
        write_all(s, "\n", 1);
    } else {
        say("mcp: there is no memory for an answer");
    }
    json_object_put(message);
}

static void send_result(struct serving *s, const struct json_object *id, struct json_object *result)
{
    if (result)
        send_message(s, mcp_session_result(id, result));
    else
        send_message(s, mcp_session_error(id, BUSY, "there is no memory for the answer"));
}

/* ---- calls */

static struct json_object *read_on(const struct serving *s, const struct json_object *arguments)
{
    const struct json_object *number = mcp_json_get(arguments, "answer");
    const struct json_object *offset = mcp_json_get(arguments, "offset");
    if (!mcp_json_is(number, json_type_int) || !mcp_json_is(offset, json_type_int))
        return mcp_answer_refused("answer and offset are integers, and both are wanted");
    return mcp_answer_rest(&s->answers, json_object_get_int64(number),
                           json_object_get_int64(offset));
}

/* Answers a call without a child. */
static struct json_object *answer_own(struct serving *s, const struct mcp_taken *call)
{
    struct textbuf text = {0};
    if (call->tool->own == MCP_READS_ON)
        return read_on(s, call->arguments);
    mcp_files_list(s->how->reach.root, &text);
    return mcp_answer_of_text(&s->answers, &text);
}

static void say_call(const struct mcp_tool *tool, const struct mcp_line *line)
{
    char text[512] = "";
    size_t len = 0;
    for (size_t i = 1; i < line->count && len < sizeof(text); i++) {
        const char *word = line->words[i];
        for (size_t k = 0; k < line->file_count; k++)
            if (strcmp(word, line->files[k].fd_name) == 0)
                word = line->files[k].name;
        len += (size_t)snprintf(text + len, sizeof(text) - len, " %s", word);
    }
    say("mcp: %s:%s", tool->name, text);
}

/* Begins the call, which it takes over. */
static void begin(struct serving *s, struct mcp_taken *call)
{
    struct json_object *result = NULL;
    int error = mcp_line_make(&s->line, call->tool, call->arguments, &s->how->reach);
    if (error < 0) {
        result = mcp_answer_refused(s->line.why);
        say("mcp: %s: refused: %s", call->tool->name, s->line.why);
    } else {
        say_call(call->tool, &s->line);
        if (call->tool->own != MCP_NOTHING)
            result = answer_own(s, call);
        else
            error = mcp_child_start(&s->child, s->how->program, &s->line, s->how->reach.root,
                                    s->how->timeout_ns);
        if (error < 0)
            result = mcp_answer_refused(strerror(-error));
    }
    if (result || error < 0) {
        send_result(s, call->id, result);
        mcp_child_done(&s->child);
        mcp_line_done(&s->line);
        mcp_session_taken_done(call);
        return;
    }
    s->now = *call;
    s->began_at = clock_monotonic_ns();
    *call = (struct mcp_taken){.what = MCP_TAKE_NOTHING};
}

static void begin_next(struct serving *s)
{
    while (!s->now.tool && s->waiting_count > 0) {
        struct mcp_taken call = s->waiting[0];
        memmove(s->waiting, s->waiting + 1, --s->waiting_count * sizeof(s->waiting[0]));
        begin(s, &call);
    }
}

/* A cancelled call gets no answer: so the protocol wants it. */
static void end_call(struct serving *s)
{
    mcp_child_wait(&s->child);
    bool is_wanted = s->child.end != MCP_CHILD_CANCELLED;
    say("mcp: %s: %s, exit status %d, %llu bytes, %llu ms", s->now.tool->name,
        s->child.end == MCP_CHILD_ENDED      ? "done"
        : s->child.end == MCP_CHILD_TOO_LONG ? "took too long"
                                             : "cancelled",
        s->child.status, (unsigned long long)s->child.bytes,
        (unsigned long long)((clock_monotonic_ns() - s->began_at) / NS_PER_MS));
    if (is_wanted)
        send_result(s, s->now.id,
                    mcp_answer_of_child(&s->answers, s->now.tool, &s->child, &s->line));
    mcp_child_done(&s->child);
    mcp_line_done(&s->line);
    mcp_session_taken_done(&s->now);
    s->now.tool = NULL;
}

static void cancel(struct serving *s, const struct json_object *id)
{
    if (s->now.tool && json_object_equal(s->now.id, (struct json_object *)id))
        mcp_child_stop(&s->child, MCP_CHILD_CANCELLED);
    for (size_t i = 0; i < s->waiting_count; i++) {
        if (!json_object_equal(s->waiting[i].id, (struct json_object *)id))
            continue;
        mcp_session_taken_done(&s->waiting[i]);
        memmove(s->waiting + i, s->waiting + i + 1,
                (--s->waiting_count - i) * sizeof(s->waiting[0]));
        return;
    }
}

/* ---- messages */

static void take_message(struct serving *s, const char *line, size_t len)
{
    struct mcp_taken taken;
    mcp_session_take(&s->session, line, len, &taken);
    if (taken.what == MCP_TAKE_REPLY) {
        send_message(s, taken.reply);
        taken.reply = NULL;
    } else if (taken.what == MCP_TAKE_CANCEL) {
        cancel(s, taken.id);
    } else if (taken.what == MCP_TAKE_CALL && s->waiting_count < WAITING) {
        s->waiting[s->waiting_count++] = taken;
        begin_next(s);
        return;
    } else if (taken.what == MCP_TAKE_CALL) {
        send_message(s, mcp_session_error(taken.id, BUSY, "too many calls wait already"));
    }
    mcp_session_taken_done(&taken);
}

/* Takes all messages of the input that are whole. */
static void take_lines(struct serving *s)
{
    size_t done = 0;
    if (!s->input.bytes)
        return;
    for (const char *end;
         done < s->input.len && (end = memchr(s->input.bytes + done, '\n', s->input.len - done));) {
        size_t len = (size_t)(end - s->input.bytes) - done;
        if (s->skips)
            s->skips = false;
        else if (len > 0 && !(len == 1 && s->input.bytes[done] == '\r'))
            take_message(s, s->input.bytes + done, len);
        done += len + 1;
    }
    s->input.len -= done;
    if (s->input.len > 0)
        memmove(s->input.bytes, s->input.bytes + done, s->input.len);
    if (s->input.len <= MCP_MESSAGE_BYTES)
        return;
    if (!s->skips)
        send_message(s, mcp_session_error(NULL, TOO_LONG, "a message has 1 MiB at most"));
    s->skips = true;
    s->input.len = 0;
}

static void read_input(struct serving *s)
{
    char *room = textbuf_room(&s->input, PIECE);
    ssize_t got = room ? read(s->how->in, room, PIECE) : 0;
    if (got < 0 && errno == EINTR)
        return;
    if (!room || got < 0)
        s->error = room ? -errno : -ENOMEM;
    else if (got == 0)
        s->has_ended = true;
    else
        textbuf_end(&s->input, room + got);
    take_lines(s);
}

/* ---- the loop */

static int wait_ms(const struct serving *s)
{
    if (s->child.process.pid <= 0)
        return -1;
    uint64_t now = clock_monotonic_ns();
    return now >= s->child.process.until_ns
               ? 0
               : (int)((s->child.process.until_ns - now) / NS_PER_MS) + 1;
}

static void turn(struct serving *s)
{
    struct pollfd fds[] = {{.fd = s->has_ended ? -1 : s->how->in, .events = POLLIN},
                           {.fd = s->child.process.pid > 0 ? s->child.out : -1, .events = POLLIN},
                           {.fd = s->child.process.pid > 0 ? s->child.said : -1, .events = POLLIN}};
    int ready = poll(fds, 3, wait_ms(s));
    if (ready < 0 && errno != EINTR)
        s->error = -errno;
    if (ready > 0 && fds[0].revents)
        read_input(s);
    for (int i = 1; ready > 0 && i < 3; i++)
        if (fds[i].revents && s->now.tool)
            mcp_child_read(&s->child, fds[i].fd);
    if (s->now.tool && !mcp_child_is_over(&s->child) &&
        clock_monotonic_ns() >= s->child.process.until_ns)
        mcp_child_stop(&s->child, MCP_CHILD_TOO_LONG);
    if (s->now.tool && mcp_child_is_over(&s->child)) {
        end_call(s);
        begin_next(s);
    }
}

int mcp_serve(const struct mcp_how *how)
{
    struct serving *s = calloc(1, sizeof(*s));
    if (!s)
        return -ENOMEM;
    s->how = how;
    s->session.allowed = how->allowed;
    s->answers.bound = how->answer_bytes;
    s->child = (struct mcp_child){.out = -1, .said = -1};
    signal(SIGPIPE, SIG_IGN);
    while (s->error == 0 && (!s->has_ended || s->now.tool))
        turn(s);
    int error = s->error;
    mcp_child_done(&s->child);
    mcp_line_done(&s->line);
    mcp_session_taken_done(&s->now);
    for (size_t i = 0; i < s->waiting_count; i++)
        mcp_session_taken_done(&s->waiting[i]);
    mcp_answer_done(&s->answers);
    textbuf_done(&s->input);
    free(s);
    return error;
}
