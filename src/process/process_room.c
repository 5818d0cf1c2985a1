/*
 * process_room.c - see process_room.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_room.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/headroom_text.h"

enum { LINE = HEADROOM_TEXT_LINE, TEXT = 8192 };

static const uint64_t unlimited = UINT64_MAX;

/* Reads a file of a group. Returns false if there is none. */
static bool read_in(const char *folder, const char *name, char text[TEXT])
{
    char path[LINE];
    text[0] = '\0';
    if (snprintf(path, sizeof(path), "%s/%s", folder, name) >= (int)sizeof(path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

double process_room_quota(const char *text)
{
    char *end;
    double quota = (double)strtoull(text, &end, 10);
    if (end == text || *end != ' ')
        return 0;
    double period = (double)strtoull(end + 1, NULL, 10);
    return period > 0 ? quota / period : 0;
}

static void read_memory(const char *folder, int version, bool is_own, struct process_room *room)
{
    char text[TEXT];
    if (!read_in(folder, headroom_text_files[version].usage, text))
        return;
    uint64_t usage = headroom_text_limit(text), inactive = 0;
    if (usage == unlimited)
        return;
    if (read_in(folder, "memory.stat", text))
        inactive = headroom_text_number(text, headroom_text_files[version].inactive);
    uint64_t working_set = usage > inactive ? usage - inactive : 0;
    if (is_own) {
        room->has_memory = true;
        room->usage_bytes = usage;
        room->working_set_bytes = working_set;
    }
    uint64_t limit = read_in(folder, headroom_text_files[version].limit, text)
                         ? headroom_text_limit(text)
                         : unlimited;
    if (limit == unlimited)
        return;
    uint64_t available = limit > working_set ? limit - working_set : 0;
    if (room->limit_bytes == unlimited || available < room->available_bytes) {
        room->limit_bytes = limit;
        room->available_bytes = available;
    }
}

static void read_quota(const char *folder, struct process_room *room)
{
    char text[TEXT];
    double quota = read_in(folder, "cpu.max", text) ? process_room_quota(text) : 0;
    if (quota > 0 && (room->cpu_quota == 0 || quota < room->cpu_quota))
        room->cpu_quota = quota;
}

static void read_throttling(const char *folder, struct process_room *room)
{
    char text[TEXT];
    if (!read_in(folder, "cpu.stat", text))
        return;
    uint64_t throttled = headroom_text_number(text, "nr_throttled");
    if (room->periods != 0 && throttled <= room->throttled)
        return;
    room->periods = headroom_text_number(text, "nr_periods");
    room->throttled = throttled;
}

static void read_tasks(const char *folder, struct process_room *room)
{
    char text[TEXT];
    uint64_t limit = read_in(folder, "pids.max", text) ? headroom_text_limit(text) : unlimited;
    if (limit == unlimited || !read_in(folder, "pids.current", text))
        return;
    uint64_t tasks = headroom_text_limit(text);
    if (tasks > limit)
        tasks = limit;
    if (room->tasks_limit != 0 && limit - tasks >= room->tasks_limit - room->tasks)
        return;
    room->tasks = tasks;
    room->tasks_limit = limit;
}

static void read_kills(const char *folder, struct process_room *room)
{
    char text[TEXT];
    if (read_in(folder, "memory.events", text))
        room->oom_kills = headroom_text_number(text, "oom_kill");
}

/* Reads a group and all groups above it, up to the mount. */
static void read_groups(const struct headroom_text_mount *mount, struct process_room *room)
{
    char folder[LINE];
    size_t top = strlen(mount->folder);
    bool is_own = true;
    if (snprintf(folder, sizeof(folder), "%s%s", mount->folder, mount->way) >= (int)sizeof(folder))
        return;
    for (;;) {
        read_memory(folder, mount->version, is_own, room);
        if (mount->version == 2) {
            read_quota(folder, room);
            read_throttling(folder, room);
            read_tasks(folder, room);
        }
        if (mount->version == 2 && is_own)
            read_kills(folder, room);
        is_own = false;
        char *end = strrchr(folder + top, '/');
        if (!end)
            return;
        *end = '\0';
    }
}

/* Whether the process is in a group of version 1 below the root that distributes CPU time. Its
 * quota is not read. */
static bool has_old_quota(const char *line)
{
    const char *list = strchr(line, ':');
    const char *path = list ? strchr(list + 1, ':') : NULL;
    if (!path || strcmp(path, ":/") == 0)
        return false;
    for (list++; list < path; list += strcspn(list, ",:") + 1)
        if (strncmp(list, "cpu", 3) == 0 && (list[3] == ',' || list[3] == ':'))
            return true;
    return false;
}

static FILE *open_list(const char *proc, const char *name)
{
    char path[LINE];
    if (snprintf(path, sizeof(path), "%s/%s", proc, name) >= (int)sizeof(path))
        return NULL;
    return fopen(path, "re");
}

void process_room_read_in(const char *proc, pid_t pid, struct process_room *ret)
{
    struct headroom_text_groups groups = {{"", "", ""}};
    struct headroom_text_mount mount;
    char line[LINE], name[32];
    *ret = (struct process_room){
        .limit_bytes = unlimited, .available_bytes = unlimited, .has_cpus = true};
    snprintf(name, sizeof(name), "%d/cgroup", (int)pid);
    FILE *list = open_list(proc, name), *mounts = open_list(proc, "self/mountinfo");
    if (!list || !mounts)
        ret->has_cpus = false;
    while (headroom_text_line(list, line)) {
        if (has_old_quota(line))
            ret->has_cpus = false;
        headroom_text_group(line, &groups);
    }
    while (list && headroom_text_line(mounts, line))
        if (headroom_text_mount(line, &groups, &mount))
            read_groups(&mount, ret);
    if (list)
        fclose(list);
    if (mounts)
        fclose(mounts);
}

void process_room_read(pid_t pid, struct process_room *ret)
{
    process_room_read_in("/proc", pid, ret);
}
