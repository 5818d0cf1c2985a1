/*
 * heapdump_room.c - see heapdump_room.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agent/heapdump/heapdump_room.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "safe/clock.h"

enum {
    FIRST_RATE = 1 << 18, /* bytes a millisecond, as long as nothing was seen */
    SHORT = 8,            /* times the reserve: with more, nobody asks what the page cache has */
    SHARE = 16,           /* of a limit is its reserve, */
    RESERVE_MAX = 64 << 20,
    LINE = 2 * PATH_MAX,
    TEXT = 8192, /* of memory.stat and meminfo, of which the first lines are enough */
};

static const uint64_t unlimited = UINT64_MAX;
static const uint64_t far_too_much = (uint64_t)1 << 62; /* how version 1 says "no limit" */

/* By version of cgroups. */
static const struct {
    const char *type, *limit, *usage, *active, *inactive;
} names[] = {
    [1] = {"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file",
           "total_inactive_file"},
    [2] = {"cgroup2", "memory.max", "memory.current", "active_file", "inactive_file"},
};

/* ---- which limits there are */

/* The next line that fits; such as do not are none of those that are looked for. */
static char *next_line(FILE *f, char *line)
{
    int is_rest = 0;

    while (f && fgets(line, LINE, f)) {
        char *end = strchr(line, '\n');
        int is_whole = end && !is_rest;

        is_rest = !end;
        if (is_whole) {
            *end = '\0';
            return line;
        }
    }
    return NULL;
}

/* Whether `word` is one of those that stand between commas. */
static int has_word(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (; list; list = strchr(list, ',')) {
        list += *list == ',';
        if (strncmp(list, word, n) == 0 && (list[n] == ',' || list[n] == '\0'))
            return 1;
    }
    return 0;
}

static int open_in(const char *folder, const char *name)
{
    char path[LINE];
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);

    return n < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static void add_limit(struct heapdump_room *r, struct heapdump_room_limit added)
{
    if (r->count < HEAPDUMP_ROOM_MAX) {
        added.left = unlimited;
        added.rate = FIRST_RATE;
        r->limits[r->count++] = added;
        return;
    }
    close(added.limit);
    close(added.usage);
    close(added.stat);
}

/* A group and all that it is in, up to the mount. */
static void add_groups(struct heapdump_room *r, int version, const char *mount, const char *path)
{
    char folder[LINE];
    size_t top = strlen(mount);
    char *end;

    if (snprintf(folder, sizeof(folder), "%s%s", mount, path) >= (int)sizeof(folder))
        return;
    do {
        struct heapdump_room_limit added = {.version = version};

        added.limit = open_in(folder, names[version].limit);
        if (added.limit >= 0) { /* the root of version 2 has none */
            added.usage = open_in(folder, names[version].usage);
            added.stat = open_in(folder, "memory.stat");
            add_limit(r, added);
        }
        end = strrchr(folder + top, '/');
        if (end)
            *end = '\0';
    } while (end);
}

/* "ID:CONTROLLERS:PATH"; version 2 has no controllers there. */
static void take_path(char *line, char paths[][LINE])
{
    char *list = strchr(line, ':');
    char *path = list ? strchr(list + 1, ':') : NULL;
    int version;

    if (!path)
        return;
    *path++ = '\0';
    version = list[1] == '\0' ? 2 : has_word(list + 1, "memory");
    if (version)
        snprintf(paths[version], LINE, "%s", path);
}

/* The way from the mount to the group. A container may see a mount that is its own group already:
 * then there is none to go. */
static const char *below(const char *root, const char *path)
{
    size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);

    if (strncmp(path, root, n) != 0 || (path[n] != '/' && path[n] != '\0'))
        return "";
    return strstr(path + n, "/..") || strcmp(path + n, "/") == 0 ? "" : path + n;
}

/* "ID PARENT DEVICE ROOT MOUNT OPTIONS [MORE...] - TYPE SOURCE OPTIONS" */
static void take_mount(struct heapdump_room *r, char *line, char paths[][LINE])
{
    enum { ROOT = 3, MOUNT, FIRST_FIELDS, TYPE = 0, OPTIONS = 2, LAST_FIELDS };
    char *first[FIRST_FIELDS], *last[LAST_FIELDS], *rest = NULL;
    char *after = strstr(line, " - ");
    int version;

    if (!after)
        return;
    *after = '\0';
    for (int i = 0; i < FIRST_FIELDS; i++) {
        first[i] = strtok_r(i ? NULL : line, " ", &rest);
        if (!first[i])
            return;
    }
    for (int i = 0; i < LAST_FIELDS; i++) {
        last[i] = strtok_r(i ? NULL : after + 3, " ", &rest);
        if (!last[i])
            return;
    }
    version = strcmp(last[TYPE], names[2].type) == 0                                        ? 2
              : strcmp(last[TYPE], names[1].type) == 0 && has_word(last[OPTIONS], "memory") ? 1
                                                                                            : 0;
    if (version && paths[version][0])
        add_groups(r, version, first[MOUNT], below(first[ROOT], paths[version]));
}

static FILE *open_list(const char *proc, const char *name)
{
    int fd = open_in(proc, name);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

    if (fd >= 0 && !f)
        close(fd);
    return f;
}

void heapdump_room_open(struct heapdump_room *r, const char *proc)
{
    char line[LINE], paths[3][LINE] = {"", "", ""};
    FILE *groups = open_list(proc, "self/cgroup"), *mounts = open_list(proc, "self/mountinfo");

    *r = (struct heapdump_room){.count = 0};
    add_limit(r, (struct heapdump_room_limit){
                     .limit = -1, .usage = -1, .stat = open_in(proc, "meminfo")});
    while (next_line(groups, line))
        take_path(line, paths);
    while (next_line(mounts, line))
        take_mount(r, line, paths);
    if (groups)
        fclose(groups);
    if (mounts)
        fclose(mounts);
    heapdump_room_look(r, clock_monotonic_ns());
}

void heapdump_room_close(struct heapdump_room *r)
{
    while (r->count > 0) {
        const struct heapdump_room_limit *l = &r->limits[--r->count];

        close(l->limit);
        close(l->usage);
        close(l->stat);
    }
}

/* ---- what they leave */

static const char *read_text(int fd, char *text)
{
    ssize_t n = pread(fd, text, TEXT - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    return text;
}

static uint64_t number(const char *text)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    return end == text || value >= far_too_much ? unlimited : value; /* "max", or nothing */
}

uint64_t heapdump_room_number(const char *text, const char *name)
{
    size_t n = strlen(name);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == ':'))
            return strtoull(line + n + 1, NULL, 10);
    }
    return 0;
}

static void set_reserve(struct heapdump_room_limit *l, uint64_t limit)
{
    l->reserve = limit / SHARE < RESERVE_MAX ? limit / SHARE : RESERVE_MAX;
}

static uint64_t left_on_machine(struct heapdump_room_limit *l)
{
    char text[TEXT];
    uint64_t total = heapdump_room_number(read_text(l->stat, text), "MemTotal") * 1024;

    set_reserve(l, total);
    return total ? heapdump_room_number(text, "MemAvailable") * 1024 : unlimited;
}

static uint64_t left_in_group(struct heapdump_room_limit *l)
{
    char text[TEXT];
    uint64_t limit = number(read_text(l->limit, text)), usage, cache = 0;

    if (limit == unlimited)
        return unlimited;
    usage = number(read_text(l->usage, text));
    if (usage == unlimited)
        return unlimited;
    set_reserve(l, limit);
    if (usage > limit || limit - usage < SHORT * l->reserve) {
        read_text(l->stat, text);
        cache = heapdump_room_number(text, names[l->version].active) +
                heapdump_room_number(text, names[l->version].inactive);
    }
    usage -= cache < usage ? cache : usage;
    return usage < limit ? limit - usage : 0;
}

void heapdump_room_look(struct heapdump_room *r, uint64_t now_ns)
{
    uint64_t ns = now_ns - r->looked_ns < 1000000 ? 1000000 : now_ns - r->looked_ns;

    for (int i = 0; i < r->count; i++) {
        struct heapdump_room_limit *l = &r->limits[i];
        uint64_t left = l->version ? left_in_group(l) : left_on_machine(l);
        uint64_t taken = left < l->left && l->left != unlimited ? l->left - left : 0;

        l->rate -= l->rate / 8; /* what was seen once may come again */
        if (taken * 1000 / (ns / 1000) > l->rate)
            l->rate = taken * 1000 / (ns / 1000);
        l->left = left;
    }
    r->looked_ns = now_ns;
}

static const char *full(const struct heapdump_room_limit *l)
{
    return l->version ? "the memory cgroup is nearly full" : "the machine's memory is nearly full";
}

const char *heapdump_room_lacks(const struct heapdump_room *r, uint64_t bytes, uint64_t ns)
{
    for (int i = 0; i < r->count; i++) {
        const struct heapdump_room_limit *l = &r->limits[i];

        if (l->left != unlimited && l->left < l->reserve + bytes + l->rate * (ns / 1000000))
            return full(l);
    }
    return NULL;
}

const char *heapdump_room_ends(const struct heapdump_room *r, uint64_t bytes)
{
    for (int i = 0; i < r->count; i++) {
        if (r->limits[i].left < r->limits[i].reserve / 4 + bytes)
            return full(&r->limits[i]);
    }
    return NULL;
}
