/*
 * heapdump_write.h - in the child: the frozen heap becomes the records of the dump.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct heapdump;

/** Errors: 0; those of frozen_find() and dumpwriter_run(); with *ret_why, static text or NULL. */
int heapdump_write_run(struct heapdump *d, const char **ret_why);
