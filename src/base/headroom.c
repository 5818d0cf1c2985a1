/*
 * headroom.c - see headroom.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "base/headroom.h"
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/headroom_text.h"
#include "safe/clock.h"

enum {
    FIRST_RATE = 1 << 18, /* bytes per millisecond, assumed before the first look */
    /* memory.stat is read only when less than SHORT reserves are left */
    SHORT = 8,
    SHARE = 16, /* the reserve is a 16th of the limit, at most RESERVE_MAX */
    RESERVE_MAX = 64 << 20,
    LINE = HEADROOM_TEXT_LINE,
    /* bytes read of memory.stat and meminfo; the rows that are needed stand in the first lines */
    TEXT = 8192,
};

static const uint64_t unlimited = UINT64_MAX;

/* ---- which limits there are */

static int open_in(const char *folder, const char *name)
{
    char path[LINE];
    int n = snprintf(path, sizeof(path), "%s/%s", folder, name);
    return n < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static void add_limit(struct headroom *r, struct headroom_limit added)
{
    if (r->count < HEADROOM_MAX) {
        added.left = unlimited;
        added.rate = FIRST_RATE;
        r->limits[r->count++] = added;
        return;
    }
    close(added.limit);
    close(added.usage);
    close(added.stat);
}

/* Add a group and all groups above it, up to the mount. */
static void add_groups(struct headroom *r, int version, const char *mount, const char *path)
{
    char folder[LINE];
    size_t top = strlen(mount);
    char *end;
    if (snprintf(folder, sizeof(folder), "%s%s", mount, path) >= (int)sizeof(folder))
        return;
    do {
        struct headroom_limit added = {.version = version};
        added.limit = open_in(folder, headroom_text_files[version].limit);
        if (added.limit >= 0) { /* the root group of version 2 has no limit */
            added.usage = open_in(folder, headroom_text_files[version].usage);
            added.stat = open_in(folder, "memory.stat");
            add_limit(r, added);
        }
        end = strrchr(folder + top, '/');
        if (end)
            *end = '\0';
    } while (end);
}

static FILE *open_list(const char *proc, const char *name)
{
    int fd = open_in(proc, name);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !f)
        close(fd);
    return f;
}

void headroom_open(struct headroom *r, const char *proc)
{
    struct headroom_text_groups groups = {{"", "", ""}};
    struct headroom_text_mount mount;
    char line[LINE];
    FILE *group_list = open_list(proc, "self/cgroup"), *mounts = open_list(proc, "self/mountinfo");
    *r = (struct headroom){.count = 0};
    add_limit(r,
              (struct headroom_limit){.limit = -1, .usage = -1, .stat = open_in(proc, "meminfo")});
    while (headroom_text_line(group_list, line))
        headroom_text_group(line, &groups);
    while (headroom_text_line(mounts, line)) {
        if (headroom_text_mount(line, &groups, &mount))
            add_groups(r, mount.version, mount.folder, mount.way);
    }
    if (group_list)
        fclose(group_list);
    if (mounts)
        fclose(mounts);
    headroom_look(r, clock_monotonic_ns());
}

void headroom_close(struct headroom *r)
{
    while (r->count > 0) {
        const struct headroom_limit *l = &r->limits[--r->count];
        close(l->limit);
        close(l->usage);
        close(l->stat);
    }
}

/* ---- how much the limits leave */

static const char *read_text(int fd, char *text)
{
    ssize_t n = pread(fd, text, TEXT - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    return text;
}

static void set_reserve(struct headroom_limit *l, uint64_t limit)
{
    l->total = limit;
    l->reserve = limit / SHARE < RESERVE_MAX ? limit / SHARE : RESERVE_MAX;
}

static uint64_t left_on_machine(struct headroom_limit *l)
{
    char text[TEXT];
    uint64_t total = headroom_text_number(read_text(l->stat, text), "MemTotal") * 1024;
    set_reserve(l, total);
    return total ? headroom_text_number(text, "MemAvailable") * 1024 : unlimited;
}

static uint64_t left_in_group(struct headroom_limit *l)
{
    char text[TEXT];
    uint64_t limit = headroom_text_limit(read_text(l->limit, text)), usage, cache = 0;
    if (limit == unlimited)
        return unlimited;
    usage = headroom_text_limit(read_text(l->usage, text));
    if (usage == unlimited)
        return unlimited;
    set_reserve(l, limit);
    l->unwritten = 0;
    if (usage > limit || limit - usage < SHORT * l->reserve) {
        read_text(l->stat, text);
        cache = headroom_text_number(text, headroom_text_files[l->version].active) +
                headroom_text_number(text, headroom_text_files[l->version].inactive);
        l->unwritten = headroom_text_number(text, headroom_text_files[l->version].dirty) +
                       headroom_text_number(text, headroom_text_files[l->version].writeback);
    }
    usage -= cache < usage ? cache : usage;
    return usage < limit ? limit - usage : 0;
}

void headroom_look(struct headroom *r, uint64_t now_ns)
{
    uint64_t ns = now_ns - r->looked_ns < NS_PER_MS ? NS_PER_MS : now_ns - r->looked_ns;
    for (int i = 0; i < r->count; i++) {
        struct headroom_limit *l = &r->limits[i];
        uint64_t left = l->version ? left_in_group(l) : left_on_machine(l);
        uint64_t taken = left < l->left && l->left != unlimited ? l->left - left : 0;
        uint64_t own = taken < l->expected ? taken : l->expected;

        taken -= own;
        l->expected -= own;
        l->rate -= l->rate / 8; /* falls slowly: a burst seen once may come again */
        if (taken * 1000 / (ns / 1000) > l->rate)
            l->rate = taken * 1000 / (ns / 1000);
        l->left = left;
    }
    r->looked_ns = now_ns;
}

bool headroom_has_group(const struct headroom *r)
{
    for (int i = 0; i < r->count; i++)
        if (r->limits[i].version)
            return true;
    return false;
}

/* The bytes that a group uses without its inactive page cache. Returns false if it has no limit. */
static bool level_of(const struct headroom_limit *l, struct headroom_level *ret)
{
    char text[TEXT];
    uint64_t cache;
    if (!l->version)
        return false;
    ret->limit = headroom_text_limit(read_text(l->limit, text));
    ret->used = headroom_text_limit(read_text(l->usage, text));
    if (ret->limit == unlimited || ret->limit == 0 || ret->used == unlimited)
        return false;
    cache =
        headroom_text_number(read_text(l->stat, text), headroom_text_files[l->version].inactive);
    ret->used -= cache < ret->used ? cache : ret->used;
    return true;
}

bool headroom_fullest(const struct headroom *r, struct headroom_level *ret)
{
    bool has_one = false;
    for (int i = 0; i < r->count; i++) {
        struct headroom_level level;
        if (!level_of(&r->limits[i], &level))
            continue;
        if (!has_one ||
            (double)level.used * (double)ret->limit > (double)ret->used * (double)level.limit)
            *ret = level;
        has_one = true;
    }
    return has_one;
}

void headroom_expect(struct headroom *r, uint64_t bytes)
{
    for (int i = 0; i < r->count; i++)
        r->limits[i].expected = bytes;
}

static unsigned megabytes(uint64_t bytes)
{
    return (unsigned)(bytes >> 20);
}

/* Returns NULL if there is room for `bytes`, of which `spare` stay free. */
static const char *lack(struct headroom *r, const struct headroom_limit *l, uint64_t bytes,
                        uint64_t spare)
{
    const uint64_t up = ((uint64_t)1 << 20) - 1;
    if (l->left == unlimited || l->left >= bytes)
        return NULL;
    snprintf(r->lack, sizeof(r->lack),
             "the %s has %u MB of %u MB left, and %u MB are needed (%u MB of them stay free)",
             l->version ? "memory cgroup" : "machine", megabytes(l->left), megabytes(l->total),
             megabytes(bytes + up), megabytes(spare + up));
    return r->lack;
}

const char *headroom_lacks(struct headroom *r, uint64_t bytes, uint64_t ns)
{
    const char *lacks = NULL;
    for (int i = 0; i < r->count && !lacks; i++) {
        const struct headroom_limit *l = &r->limits[i];
        lacks = lack(r, l, l->reserve + bytes + l->rate * (ns / NS_PER_MS), l->reserve);
    }
    return lacks;
}

const char *headroom_ends(struct headroom *r, uint64_t bytes)
{
    const char *lacks = NULL;
    for (int i = 0; i < r->count && !lacks; i++) {
        const struct headroom_limit *l = &r->limits[i];
        lacks = lack(r, l, l->reserve / 4 + bytes + l->unwritten, l->reserve / 4);
    }
    return lacks;
}

uint64_t headroom_left(const struct headroom *r)
{
    uint64_t least = unlimited;
    for (int i = 0; i < r->count; i++)
        if (r->limits[i].left < least)
            least = r->limits[i].left;
    return least;
}

uint64_t headroom_group_left(const struct headroom *r)
{
    uint64_t least = unlimited;
    for (int i = 0; i < r->count; i++) {
        if (r->limits[i].version && r->limits[i].left < least)
            least = r->limits[i].left;
    }
    return least;
}

const char *headroom_group_lacks(struct headroom *r, uint64_t bytes)
{
    const char *lacks = NULL;
    for (int i = 0; i < r->count && !lacks; i++) {
        const struct headroom_limit *l = &r->limits[i];
        if (l->version)
            lacks = lack(r, l, l->reserve + bytes, l->reserve);
    }
    return lacks;
}

uint64_t headroom_share(const struct headroom *r)
{
    uint64_t least = RESERVE_MAX;
    for (int i = 0; i < r->count; i++) {
        if (r->limits[i].left != unlimited && r->limits[i].reserve < least)
            least = r->limits[i].reserve;
    }
    return least;
}
