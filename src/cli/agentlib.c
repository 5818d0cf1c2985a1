/*
 * agentlib.c - the agent beside the command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agentlib.h"
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "cli/say.h"

/* Seen from the folder of the executable, symbolic links resolved; the first that exists counts. */
static const char *const places[] = {
    "libhprof.so",                /* unpacked into one folder */
    "../agent/libhprof.so",       /* the build tree */
    "../lib/hprof/libhprof.so",   /* installed */
    "../lib/*/hprof/libhprof.so", /* installed, Debian's multiarch: lib/x86_64-linux-gnu */
    "../lib/libhprof.so",
    "../lib/*/libhprof.so",
    "../lib64/libhprof.so",
};

static int readable_file(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
    return access(path, R_OK) < 0 ? -errno : 0;
}

static int take(const char *path, char **ret_path)
{
    *ret_path = realpath(path, NULL);
    return *ret_path != NULL ? 0 : -errno;
}

static int find_named(const char *path, const char *who, char **ret_path)
{
    int r = readable_file(path);

    if (r == 0)
        r = take(path, ret_path);
    if (r < 0)
        say("cannot use the agent library '%s': %s; %s must name libhprof.so", path, strerror(-r),
            who);
    return r;
}

/* The folder of the executable, ready to stand in a glob pattern: its own characters escaped. */
static char *pattern_of_own_folder(void)
{
    char *exe = realpath("/proc/self/exe", NULL);
    char *slash = exe != NULL ? strrchr(exe, '/') : NULL;
    char *pattern = slash != NULL ? malloc(2 * (size_t)(slash - exe) + 1) : NULL;
    char *out = pattern;

    for (const char *in = exe; pattern != NULL && in < slash; in++) {
        if (strchr("*?[]\\", *in) != NULL)
            *out++ = '\\';
        *out++ = *in;
    }
    if (pattern != NULL)
        *out = '\0';
    free(exe);
    return pattern;
}

static int find_beside(const char *folder, char **ret_path)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char pattern[2 * PATH_MAX + 64];
        glob_t found = {0};
        int r = -ENOENT;

        snprintf(pattern, sizeof pattern, "%s/%s", folder, places[i]);
        if (glob(pattern, 0, NULL, &found) == 0) {
            for (size_t j = 0; j < found.gl_pathc && r < 0; j++)
                if (readable_file(found.gl_pathv[j]) == 0)
                    r = take(found.gl_pathv[j], ret_path);
        }
        globfree(&found);
        if (r == 0)
            return 0;
    }
    return -ENOENT;
}

int agentlib_find(const char *named, char **ret_path)
{
    const char *env = getenv("HPROF_AGENT");

    if (named != NULL)
        return find_named(named, "--agent", ret_path);
    if (env != NULL && *env != '\0')
        return find_named(env, "HPROF_AGENT", ret_path);

    char *folder = pattern_of_own_folder();
    int r = folder != NULL ? find_beside(folder, ret_path) : -ENOENT;
    free(folder);
    if (r < 0)
        say("cannot find the agent library libhprof.so beside this command; name it with --agent "
            "PATH or in HPROF_AGENT");
    return r;
}
