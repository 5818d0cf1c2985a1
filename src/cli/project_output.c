/*
 * project_output.c - see project_output.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli/project_output.h"
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "recording/recorded.h"

/* Whether the name has a placeholder that is not allowed. %p, %t, %n and %% are allowed in the last
 * part. An environment variable is not allowed. */
static bool has_odd_place(const char *path)
{
    const char *slash = strrchr(path, '/');
    for (const char *at = path; (at = strchr(at, '%')) != NULL; at += 2)
        if ((slash && at < slash) || at[1] == '\0' || !strchr("ptn%", at[1]))
            return true;
    return false;
}

/* Whether one of the folders in the path is a link or a file, or the path itself exists and is not
 * a regular file. A missing folder is not refused here: the command itself reports it. */
static bool leads_away(const char *path)
{
    char name[NAME_MAX + 1];
    bool is_away = false;
    int at = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (const char *slash; at >= 0 && !is_away && (slash = strchr(path, '/')); path = slash + 1) {
        size_t len = (size_t)(slash - path);
        struct stat st;
        if (len > NAME_MAX)
            break;
        memcpy(name, path, len);
        name[len] = '\0';
        int next = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
        is_away = at >= 0 && (fstat(at, &st) != 0 || !S_ISDIR(st.st_mode));
    }
    if (at >= 0)
        is_away |= path[0] == '\0';
    struct stat st;
    is_away |= at >= 0 && fstatat(at, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode);
    if (at >= 0)
        close(at);
    return is_away;
}

const char *project_output_refuse(const char *path)
{
    if (path[0] == '/')
        return "not taken from a file: only a relative name is; type it";
    for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (part[0] == '.' || part[0] == '/' || part[0] == '\0')
            return "not taken from a file: '..', hidden and empty names are not; type it";
    if (has_odd_place(path))
        return "not taken from a file: of places %p, %t and %n may stand in the last part; type it";
    if (!recorded_can_make(path))
        return "not taken from a file: its suffix is that of no profile ('hprof formats'); type it";
    return leads_away(path) ? "not taken from a file: a link or device lies there; type it" : NULL;
}
