/*
 * rooted.h - files and folders below a root folder that others fill: of another process, or a copy
 * of another machine's.
 *
 * Links on the way, absolute ones and '..' too, lead within that root, never into ours, and not
 * through /proc's magic links: by openat2(2), before Linux 5.6 by walking part for part. A file is
 * looked at before it is opened for reading, so a device or FIFO does nothing; there is no other
 * try. Context: any, not signal. SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { ROOTED_LINKS = 40 }; /* on one way, as in the kernel */

/** A descriptor (O_PATH) of what `path` is below the folder `root`; a first '/' is the root's.
 * Errors: -errno. Owner: the caller closes it. */
int rooted_find(int root, const char *path);
/** The same for a folder. */
int rooted_folder(int root, const char *path);
/** Opens the regular file `path` for reading. `root` -1: our own, with all its links. Errors:
 * -errno; -EINVAL it is none. */
int rooted_open(int root, const char *path);
/** What rooted_find() does where openat2() is not: for tests. */
int rooted_walk(int root, const char *path);
