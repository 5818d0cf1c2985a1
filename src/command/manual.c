/*
 * manual.c - see manual.h.
 * SPDX-License-Identifier: Apache-2.0
 */
#include "command/manual.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "command/beside.h"

static const char *const folders[] = {
    "../../../docs/man", /* the build tree, which lies inside the source tree */
    "../share/man/man*", /* an installation */
    NULL,
};

const struct manual_topic manual_topics[] = {
    {"agent", "the agent and its options", "hprof-agent.7"},
    {"asgst", "the stack walking library", "libasgst.3"},
    {0},
};

const struct manual_topic *manual_find(const char *name)
{
    for (const struct manual_topic *topic = manual_topics; topic->name; topic++)
        if (strcmp(topic->name, name) == 0)
            return topic;
    return NULL;
}

int manual_show(const char *page, char **ret_path)
{
    char packed[64];
    int r;
    *ret_path = NULL;
    snprintf(packed, sizeof(packed), "%s*", page); /* installed pages may be packed, as in .gz */
    r = beside_find(folders, packed, ret_path);
    if (r < 0)
        return r;
    (void)fflush(NULL);
    if (isatty(STDOUT_FILENO))
        execlp("man", "man", *ret_path, (char *)NULL);
    else
        execlp("man", "man", "-P", "cat", *ret_path, (char *)NULL);
    return -errno;
}
