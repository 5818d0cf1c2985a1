/*
 * beside.c - see beside.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/beside.h"
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int beside_readable(const char *path)
{
    struct stat st;
    if (stat(path, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
    return access(path, R_OK) < 0 ? -errno : 0;
}

/* The folder of the executable as a glob pattern: special characters in its name are escaped. */
static char *pattern_of_own_folder(void)
{
    char *exe = realpath("/proc/self/exe", NULL);
    char *slash = exe ? strrchr(exe, '/') : NULL;
    char *pattern = slash ? malloc(2 * (size_t)(slash - exe) + 1) : NULL;
    char *out = pattern;
    for (const char *in = exe; pattern && in < slash; in++) {
        if (strchr("*?[]\\", *in))
            *out++ = '\\';
        *out++ = *in;
    }
    if (pattern)
        *out = '\0';
    free(exe);
    return pattern;
}

static int find_in(const char *own, const char *folder, const char *file, char **ret_path)
{
    char pattern[2 * PATH_MAX + 64];
    glob_t found = {0};
    int r = -ENOENT;
    snprintf(pattern, sizeof(pattern), "%s/%s/%s", own, folder, file);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc && r < 0; i++) {
            if (beside_readable(found.gl_pathv[i]) < 0)
                continue;
            *ret_path = realpath(found.gl_pathv[i], NULL);
            r = *ret_path ? 0 : -errno;
        }
    }
    globfree(&found);
    return r;
}

int beside_find(const char *const *folders, const char *file, char **ret_path)
{
    char *own = pattern_of_own_folder();
    int r = -ENOENT;
    for (; own && *folders && r < 0; folders++)
        r = find_in(own, *folders, file, ret_path);
    free(own);
    return r;
}
