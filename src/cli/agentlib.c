/*
 * agentlib.c - the agent beside the command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "agentlib.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cli/beside.h"
#include "cli/say.h"

static const char *const folders[] = {
    ".",              /* unpacked into one folder */
    "../agent",       /* the build tree */
    "../lib/hprof",   /* installed */
    "../lib/*/hprof", /* installed, Debian's multiarch: lib/x86_64-linux-gnu */
    "../lib",
    "../lib/*",
    "../lib64",
    NULL,
};

static int take(const char *path, char **ret_path)
{
    *ret_path = realpath(path, NULL);
    return *ret_path ? 0 : -errno;
}

static int find_named(const char *path, const char *who, char **ret_path)
{
    int r = beside_readable(path);

    if (r == 0)
        r = take(path, ret_path);
    if (r < 0)
        say("cannot use the agent library '%s': %s; %s must name libhprof.so", path, strerror(-r),
            who);
    return r;
}

int agentlib_find(const char *named, char **ret_path)
{
    const char *env = getenv("HPROF_AGENT");

    if (named)
        return find_named(named, "--agent", ret_path);
    if (env && *env != '\0')
        return find_named(env, "HPROF_AGENT", ret_path);

    int r = beside_find(folders, "libhprof.so", ret_path);
    if (r < 0)
        say("cannot find the agent library libhprof.so beside this command; name it with --agent "
            "PATH or in HPROF_AGENT");
    return r;
}
