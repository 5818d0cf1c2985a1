/*
 * answer.c - see answer.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/life/answer.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "agent/engine/engine.h"
#include "agent/log.h"
#include "agent/recording/recording.h"
#include "base/err.h"
#include "base/newfile.h"

enum { ANSWER_MODE = 0600, TIME_TEXT = 32 };

void answer_add(struct answer *to, const char *format, ...)
{
    size_t room = sizeof(to->text) - 1 - to->len; /* room for the newline is kept */
    va_list arguments;
    int n;
    va_start(arguments, format);
    n = vsnprintf(to->text + to->len, room, format, arguments);
    va_end(arguments);
    size_t added = n <= 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
    /*
     * Only a tab at the beginning of the format separates recordings; in names and paths it becomes
     * a blank.
     */
    for (size_t i = format[0] == '\t' ? 1 : 0; i < added; i++)
        if ((unsigned char)to->text[to->len + i] < ' ')
            to->text[to->len + i] = ' ';
    to->len += added;
}

void answer_append(struct answer *to, const struct answer *from)
{
    size_t room = sizeof(to->text) - 1 - to->len;
    size_t len = from->len < room ? from->len : room - 1;
    memcpy(to->text + to->len, from->text, len);
    to->len += len;
    to->text[to->len] = '\0';
}

static void add_engines(struct answer *to, const struct recording *r)
{
    const struct engine *e;
    const char *between = "";
    answer_add(to, " engines=");
    for (int at = 0; (e = engine_next_of(r->engines, &at)) != NULL; between = ",")
        answer_add(to, "%s%s", between, e->name);
}

void answer_add_file(struct answer *to, const struct recording *r)
{
    char place[PATH_MAX];
    if (r->is_waiting) { /* the file that it will write has no name yet */
        answer_add(to, " waits_for=%s", r->line);
        return;
    }

    output_place(&r->output, place);
    answer_add(to, " file=%s", place);
}

static void time_of_begin(const struct recording *r, char ret[TIME_TEXT])
{
    struct tm utc;
    gmtime_r(&r->began, &utc);
    strftime(ret, TIME_TEXT, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void answer_add_sentence(struct answer *to, const struct recording *r)
{
    char place[PATH_MAX], what[ENGINE_WORDS], began[TIME_TEXT];
    engine_words(r->engines, what);
    time_of_begin(r, began);
    output_place(&r->output, place);
    bool is_held = r->output.held.is_held;
    bool has_file = !is_held && strcmp(place, "/dev/null") != 0;
    if (r->is_waiting)
        answer_add(to, "\ta trigger is waited for since %s:", began);
    else
        answer_add(to, "\t%s since %s%s%s:", what[0] ? what : "nothing", began,
                   is_held    ? ", for a command that waits"
                   : has_file ? ", into "
                              : "",
                   has_file ? place : "");
}

void answer_add_recording(struct answer *to, const struct recording *r)
{
    char began[TIME_TEXT];
    time_of_begin(r, began);
    answer_add(to, " id=%u name=%s since=%s seconds=%.1f", r->number, r->name, began,
               recording_seconds(r));
    if (r->options.ends.duration_ns)
        answer_add(to, " duration=%.1f", (double)r->options.ends.duration_ns / 1e9);
    if (r->lease_ns)
        answer_add(to, " lease=%.1f", (double)r->lease_ns / 1e9);
    if (r->output.held.is_unnamed)
        answer_add(to, " fd=%d", r->output.fd);
    else if (r->output.held.is_held)
        answer_add(to, " lock=%d", r->output.fd);
    add_engines(to, r);
}

int answer_open(const char *path, int *ret_fd)
{
    const char *why = NULL;
    struct newfile file = {.fd = -1};
    int error = path[0] ? newfile_open(path, ANSWER_MODE, NEWFILE_REPLACE, &file, &why) : 0;
    if (error)
        log_error("cannot write the answer to %s (%s)", path, why);
    if (file.is_ours) /* a command may remove a file that nobody locks: jvm/agent_link.h */
        (void)flock(file.fd, LOCK_EX | LOCK_NB);
    *ret_fd = file.fd;
    return error;
}

int answer_write(int fd, struct answer *answer)
{
    ssize_t n;
    int error;
    answer->text[answer->len++] = '\n';
    n = write(fd, answer->text, answer->len);
    error = n == (ssize_t)answer->len ? 0 : n < 0 ? -errno : -EIO;
    close(fd);
    if (error)
        log_error("cannot write the answer (%s)", err_text(error));
    return error;
}
