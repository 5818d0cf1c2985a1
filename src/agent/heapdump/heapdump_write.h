/*
 * heapdump_write.h - writes the frozen heap as the records of a dump, in the child.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct heapdump;

/** Write the dump. Errors: 0; those of frozen_find() and dumpwriter_run(), with *ret_why, which is
 * static text or NULL. */
int heapdump_write_run(struct heapdump *d, const char **ret_why);
