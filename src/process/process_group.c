/*
 * process_group.c - see process_group.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "process/process_group.h"
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The folders where the system mounts the hierarchy of version 2, and the one of version 1 that
 * freezes. A file there says whether a group, or a group above it, is frozen. */
static const struct freezer {
    const char *controller; /* in /proc/PID/cgroup, behind the number; "": version 2 */
    const char *mount, *file, *says;
} freezers[] = {
    {"", "/sys/fs/cgroup", "cgroup.events", "frozen 1"},
    {"", "/sys/fs/cgroup/unified", "cgroup.events", "frozen 1"},
    {"freezer", "/sys/fs/cgroup/freezer", "freezer.state", "FROZEN"},
};

/* The path of the group in a line like 6:freezer:/docker/1234; NULL: the line is of another
 * hierarchy. */
static const char *group_in(const char *line, const char *controller)
{
    const char *at = line + strspn(line, "0123456789");
    size_t len = strlen(controller);
    if (*at != ':' || strncmp(at + 1, controller, len) != 0 || at[1 + len] != ':')
        return NULL;
    return at + 1 + len + 1;
}

static bool has_line(const char *text, const char *line)
{
    size_t len = strlen(line);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n')
        if (strncmp(text, line, len) == 0 && (text[len] == '\n' || text[len] == '\0'))
            return true;
    return false;
}

static bool says_frozen(const struct freezer *f, const char *root, const char *group, size_t len)
{
    char path[PATH_MAX], text[256];
    if (snprintf(path, sizeof(path), "%s%s%.*s/%s", root, f->mount, (int)len, group, f->file) >=
        (int)sizeof(path))
        return false;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    return has_line(text, f->says);
}

bool process_group_is_frozen(const char *groups, const char *root)
{
    for (const char *line = groups; *line;) {
        size_t len = strcspn(line, "\n");
        for (size_t i = 0; i < sizeof(freezers) / sizeof(freezers[0]); i++) {
            const char *group = group_in(line, freezers[i].controller);
            if (group && says_frozen(&freezers[i], root, group, (size_t)(line + len - group)))
                return true;
        }
        line += len + (line[len] == '\n');
    }
    return false;
}

void process_group_container_whole(const char *groups, char ret_id[PROCESS_CONTAINER_WHOLE + 1])
{
    size_t digits = 0;
    ret_id[0] = '\0';
    for (const char *p = groups; *p != '\0'; p++) {
        digits = isxdigit((unsigned char)*p) ? digits + 1 : 0;
        if (digits == PROCESS_CONTAINER_WHOLE && !isxdigit((unsigned char)p[1])) {
            memcpy(ret_id, p + 1 - PROCESS_CONTAINER_WHOLE, PROCESS_CONTAINER_WHOLE);
            ret_id[PROCESS_CONTAINER_WHOLE] = '\0';
            return;
        }
    }
}

void process_group_container(const char *groups, char ret_id[PROCESS_CONTAINER_ID + 1])
{
    char whole[PROCESS_CONTAINER_WHOLE + 1];
    process_group_container_whole(groups, whole);
    memcpy(ret_id, whole, PROCESS_CONTAINER_ID);
    ret_id[whole[0] == '\0' ? 0 : PROCESS_CONTAINER_ID] = '\0';
}

/* Whether a text begins with a uid such as 01234567-89ab-cdef-0123-456789abcdef, in which systemd's
 * names of groups have '_' for '-'. */
static bool begins_with_uid(const char *text)
{
    for (int i = 0; i < PROCESS_POD_UID; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text[i] != '-' && text[i] != '_' : !isxdigit((unsigned char)text[i]))
            return false;
    }
    return !isxdigit((unsigned char)text[PROCESS_POD_UID]);
}

/* Source: Kubernetes pkg/kubelet/cm, "kubepods/burstable/podUID" and
 * "kubepods-burstable-podUID.slice". */
void process_group_pod(const char *groups, char ret_uid[PROCESS_POD_UID + 1])
{
    static const char front[] = "pod";
    const char *at = groups;
    ret_uid[0] = '\0';
    while ((at = strstr(at, front)) != NULL) {
        at += sizeof(front) - 1;
        if (!begins_with_uid(at))
            continue;
        for (int i = 0; i < PROCESS_POD_UID; i++)
            ret_uid[i] = (char)(at[i] == '_' ? '-' : at[i]);
        ret_uid[PROCESS_POD_UID] = '\0';
        return;
    }
}
