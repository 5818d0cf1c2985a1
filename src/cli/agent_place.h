/*
 * agent_place.h - the agent library, put where a JVM can load it from.
 *
 * It lies in a folder that only one user can write, .hprof-UID/BUILD, once for each build and user,
 * below the first of /tmp, /var/tmp and /dev/shm from which programs may be run.
 * It stays there: a JVM that has loaded it is told by that name to call it, and one that a program
 * starts later may still be told to load it. What lies there is used only if it has every byte.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

struct agent_place {
    const unsigned char *bytes; /* the library */
    size_t len;
    unsigned char *owned; /* what is to be freed of it */
};

/** The library of that name, NULL: the one that is carried. Errors: 0; -errno. Owner:
 * agent_place_done(), also after an error. */
int agent_place_read(struct agent_place *p, const char *library);
void agent_place_done(struct agent_place *p);
/**
 * Put it below `root`, a descriptor, as user `uid`, who we are; `mode` is that of its folders.
 * ret_path is by that root. Errors: 0; -errno of the last folder that was tried.
 */
int agent_place_put(const struct agent_place *p, int root, uid_t uid, mode_t mode,
                    char ret_path[PATH_MAX]);
