/*
 * memory_file.h - a file that exists in memory alone, for an answer of the server.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/** Makes an empty file that has no name on a disk; `name` is seen in /proc. If a filter of system
 * calls refuses memfd_create(), the file lies in /tmp without a name. Returns a descriptor, or
 * -errno. Owner: the caller closes it. Context: any, not signal. */
int memory_file_open(const char *name);
