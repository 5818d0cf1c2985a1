/*
 * agent_place.h - the agent library, put where a JVM can load it from.
 *
 * It lies in a folder that only one user can write, .hprof-UID/BUILD, once for each build and user,
 * below the first of /tmp, /var/tmp and /dev/shm from which programs may be run; where another user
 * has made that folder first, in .hprof-UID-NUMBER, which nobody guesses.
 * It stays there as long as it is held: a JVM that has loaded it is told by that name to call it.
 * Who holds it has a shared lock on the file, which is seen from all namespaces: the agent in each
 * JVM (agent/copy_kept.h), and who tells others to load it. What nobody holds is removed by the
 * JVM that ends last, or the next who sweeps. What lies there is used only if it has every byte.
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
 * ret_path is by that root. It stays there at least until *ret_hold is closed, which programs that
 * are started do not inherit. Errors: 0; -errno of the last folder that was tried.
 */
int agent_place_put(const struct agent_place *p, int root, uid_t uid, mode_t mode,
                    char ret_path[PATH_MAX], int *ret_hold);
/** The copy at that path is never removed: others may be told of it. Errors: 0; -errno. */
int agent_place_promise(const char *path);
/** Remove all copies below `root` that user `uid`, who we are, has there and nobody holds. */
void agent_place_sweep(int root, uid_t uid);
