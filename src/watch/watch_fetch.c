/*
 * watch_fetch.c - see watch_fetch.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "watch/watch_fetch.h"
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "attach/attach.h"
#include "command/cmd.h"
#include "recording/recorded.h"
#include "watch/watch_spool.h"
#include "watch/watch_state.h"

/* A name that begins with ".hprof-" makes the agent give the file the mode 0600. The sweep of
 * jvm/agent_link.h leaves such files alone for a week. */
#define FRONT ".hprof-watch-"

enum {
    TOKEN = 16,
    DIGITS = 9,
    GAP = 32,      /* files that may be missing before the next one that is there */
    FILES = 10000, /* that are taken at one time */
};

enum taken { TAKEN, MISSING, UNFINISHED, REFUSED, STUCK };

void watch_fetch_name(uint64_t token, uint32_t number, char ret_name[WATCH_FETCH_NAME])
{
    snprintf(ret_name, WATCH_FETCH_NAME, FRONT "%016" PRIx64 "-%u.jfr", token, number);
}

void watch_fetch_pattern(uint64_t token, char ret_name[WATCH_FETCH_NAME])
{
    snprintf(ret_name, WATCH_FETCH_NAME, FRONT "%016" PRIx64 "-%%n.jfr", token);
}

bool watch_fetch_parse(const char *path, uint64_t *ret_token, uint32_t *ret_number)
{
    char again[WATCH_FETCH_NAME];
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const size_t front = sizeof(FRONT) - 1;
    if (strncmp(name, FRONT, front) != 0 || strspn(name + front, "0123456789abcdef") != TOKEN ||
        name[front + TOKEN] != '-' || strspn(name + front + TOKEN + 1, "0123456789") > DIGITS)
        return false;
    uint64_t token = strtoull(name + front, NULL, 16);
    uint32_t number = (uint32_t)strtoul(name + front + TOKEN + 1, NULL, 10);
    watch_fetch_name(token, number, again);
    if (strcmp(name, again) != 0)
        return false;
    *ret_token = token;
    *ret_number = number;
    return true;
}

/* Copies the file, unless its copy is there already. Context: this program's own identity. */
static enum taken copy(const struct watch_fetch *f, int fd, uint32_t number)
{
    char name[WATCH_SPOOL_NAME], path[PATH_MAX];
    struct stat st;
    watch_spool_name(f->state->token, number, name);
    if (fstatat(f->folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return TAKEN;
    if (snprintf(path, sizeof(path), "%s/%s", f->spool, name) >= (int)sizeof(path))
        return STUCK;
    return recorded_copy("watch", fd, path) == CMD_OK ? TAKEN : STUCK;
}

static enum taken take(const struct watch_fetch *f, uint32_t number, bool is_over)
{
    struct attach *a = f->attach;
    char name[WATCH_FETCH_NAME];
    struct stat st;
    watch_fetch_name(f->state->token, number, name);
    if (fstatat(a->socket.tmp, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return MISSING;
    int fd = recorded_open(a, name);
    enum taken taken = fd < 0 ? REFUSED : TAKEN;
    if (fd >= 0 && fstat(fd, &st) == 0 &&
        (st.st_size == 0 ? is_over : (uint64_t)st.st_size > f->most_bytes))
        taken = REFUSED;
    else if (fd >= 0 && !is_over && !recorded_is_finished(fd, name))
        taken = UNFINISHED;
    if (taken == UNFINISHED) {
        close(fd);
        return taken;
    }
    if (process_ids_back(&a->before) == 0) {
        if (taken == TAKEN)
            taken = copy(f, fd, number);
        f->state->next = number + 1;
        if (taken != STUCK && watch_state_write(f->state, f->folder) < 0)
            taken = STUCK;
    }
    if (fd >= 0)
        close(fd);
    if (process_ids_take(&a->socket.process, &a->before) != 0)
        _exit(CMD_FAILED); /* files of that user are touched with no other rights */
    if (taken == STUCK)
        f->state->next = number;
    else
        (void)unlinkat(a->socket.tmp, name, 0);
    return taken;
}

void watch_fetch(const struct watch_fetch *f, uint32_t end, struct watch_fetched *ret)
{
    uint32_t gap = 0;
    *ret = (struct watch_fetched){0};
    for (uint32_t number = f->state->next, i = 0; number < end && i < FILES; number++, i++) {
        enum taken taken = take(f, number, end == UINT32_MAX);
        if (taken == MISSING && end == UINT32_MAX && gap == GAP)
            return;
        gap += taken == MISSING;
        if (taken == MISSING)
            continue;
        ret->is_stuck = taken == STUCK;
        if (taken == STUCK || taken == UNFINISHED)
            return;
        ret->missing += gap;
        ret->taken += taken == TAKEN;
        ret->refused += taken == REFUSED;
        gap = 0;
    }
    /* The files behind the last one that was there are gone, too. */
    if (end != UINT32_MAX && gap > 0) {
        ret->missing += gap;
        f->state->next = end;
    }
}
