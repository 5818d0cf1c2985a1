/*
 * agent_place.h - a copy of the agent library, put where a JVM can load it from.
 *
 * The copy lies in a folder that only one user can write: .hprof-UID/BUILD, one for each user and
 * build of the library. The folder is made below the first of /tmp, /var/tmp and /dev/shm from
 * which programs may be run. If another user has taken the name .hprof-UID first, the folder is
 * .hprof-UID-NUMBER with a random number.
 *
 * The copy stays there as long as a process holds it: a JVM that has loaded the library is told by
 * this path to call it. A holder has a shared lock on the file, and processes in all namespaces see
 * the lock. The agent in each JVM holds its copy (life/copy_kept.h), and so does a command that
 * tells a JVM to load it. A copy that no process holds is removed by the JVM that ends last, or by
 * the next sweep. A copy that is already there is used only if all its bytes are right.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

struct agent_place {
    const unsigned char *bytes; /* the library */
    size_t len;
    unsigned char *owned; /* the memory that agent_place_done() frees; NULL: the carried library */
};

/** Read the library at that path; NULL: take the library that the command carries. Errors: 0;
 * -errno.
 * Owner: agent_place_done(), also after an error. */
int agent_place_read(struct agent_place *p, const char *library);
void agent_place_done(struct agent_place *p);
/**
 * Put the library below the folder descriptor `root`. The effective user of the process must be
 * `uid`; `mode` is the least mode of the folders and the file. ret_path is the path below that
 * root. The copy stays there at least until *ret_hold is closed. Programs that are started do not
 * inherit *ret_hold.
 * Errors: 0; -errno of the last folder that was tried.
 */
int agent_place_put(const struct agent_place *p, int root, uid_t uid, mode_t mode,
                    char ret_path[PATH_MAX], int *ret_hold);
/** Never remove the copy at that path, because other programs may know the path and use it. Errors:
 * 0; -errno. */
int agent_place_promise(const char *path);
/** Remove all copies of user `uid` below `root` that no process holds. The effective user must be
 * `uid`. */
void agent_place_sweep(int root, uid_t uid);
