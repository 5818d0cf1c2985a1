/*
 * jfr_tail.h - `hprof jfr tail`: the events of a JVM that still records, as it flushes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_print;

/**
 * Prints what is flushed from now on into the chunk files of a repository, or into a file of one,
 * until the JVM ends its recording. Returns an enum cmd_status.
 */
int jfr_tail_print(const struct jfr_print *p, const char *path);
