/*
 * rooted.h - files and folders below a root folder that others fill: the root of another process,
 * or a copy of another machine's root.
 *
 * Links on the path, also absolute ones and '..', lead inside of that root and never into ours.
 * Links of /proc that lead out of a root ("magic links") are not followed. openat2(2) does this;
 * before Linux 5.6 this code walks the path part by part. A file is checked before it is opened for
 * reading, so opening a device or FIFO has no effect. Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

enum { ROOTED_LINKS = 40 }; /* links that one path may follow, as in the kernel */

/**
 * A descriptor (O_PATH) of `path` below the folder `root`; a '/' at the beginning means the root.
 * Errors:  -errno. Owner: the caller closes it.
 */
int rooted_find(int root, const char *path);
/** Like rooted_find(), for a folder only. Errors: -ENOTDIR if it is none; -errno. Owner: the caller
 * closes it. */
int rooted_folder(int root, const char *path);
/**
 * Open the regular file `path` for reading. `root` -1: the root of this process; all links are
 * followed.
 * Errors:  -errno; -EINVAL: it is no regular file.
 */
int rooted_open(int root, const char *path);
/** The replacement for openat2() on older kernels; public for tests. */
int rooted_walk(int root, const char *path);
