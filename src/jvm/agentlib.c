/*
 * agentlib.c - finds the agent beside the command, or takes the agent inside the command.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "jvm/agentlib.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/err.h"
#include "jvm/agent_place.h"
#include "command/beside.h"
#include "command/say.h"

enum { HIGH_FD = 200 };

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

    if (beside_find(folders, "libhprof.so", ret_path) < 0)
        *ret_path = NULL;
    return 0;
}

/* The started program may change its user, so all users may read the file. */
static int put_carried(char path[PATH_MAX], int *ret_hold)
{
    struct agent_place p;
    int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int error = root < 0 ? -errno : agent_place_read(&p, NULL);
    if (error == 0) {
        error = agent_place_put(&p, root, geteuid(), 0755, path, ret_hold);
        agent_place_done(&p);
    }
    if (root >= 0)
        close(root);
    return error;
}

/* Move the descriptor to a high number that programs do not use themselves. The started program and
 * its children inherit the descriptor and hold the library by it. Otherwise a script that leaves a
 * server behind could end before the server loads the library. */
static int hand_on(int hold)
{
    int high = fcntl(hold, F_DUPFD, HIGH_FD);
    if (high < 0)
        return hold;
    close(hold);
    return high;
}

int agentlib_find_file(const char *named, struct agentlib_file *ret)
{
    char path[PATH_MAX];
    *ret = (struct agentlib_file){.hold = -1};
    int r = agentlib_find(named, &ret->path);
    if (r < 0 || ret->path)
        return r;
    r = put_carried(path, &ret->hold);
    if (r == 0) {
        ret->hold = hand_on(ret->hold);
        r = take(path, &ret->path);
    }
    if (r < 0)
        say("the agent library cannot be put into a file: none of /tmp, /var/tmp and /dev/shm can "
            "be written and have programs run from it: %s; name one with --agent PATH",
            err_text(r));
    return r;
}

int agentlib_file_promise(const struct agentlib_file *f)
{
    int error = f->hold >= 0 ? agent_place_promise(f->path) : 0;
    if (error < 0)
        say("the agent library cannot be kept as %s: %s; name one with --agent PATH", f->path,
            err_text(error));
    return error;
}

void agentlib_file_done(struct agentlib_file *f)
{
    if (f->hold >= 0) {
        int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(f->hold);
        if (root >= 0) {
            agent_place_sweep(root, geteuid());
            close(root);
        }
    }
    free(f->path);
    *f = (struct agentlib_file){.hold = -1};
}
