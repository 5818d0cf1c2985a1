/*
 * memory_file.h - a file that exists in memory alone, for an answer of the server.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;

/** Makes an empty file that has no name on a disk; `name` is seen in /proc. If a filter of system
 * calls refuses memfd_create(), the file lies in /tmp without a name. Returns a descriptor, or
 * -errno. Owner: the caller closes it. Context: any, not signal. */
int memory_file_open(const char *name);
/** Makes such a file and has `write` fill it. Returns a descriptor, or a negative error. Owner: the
 * caller closes it. Context: any, not signal. */
int memory_file_write(const char *name, void (*write)(void *with, struct sink *out), void *with);
