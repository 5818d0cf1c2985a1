/*
 * jfr_tail.h - `hprof jfr tail`: prints the events of a JVM that is still recording, after each
 * flush.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_print;

/**
 * Prints what is flushed from now on into the chunk files of a repository, or into one such file,
 * until the JVM ends its recording. Returns an enum cmd_result.
 */
int jfr_tail_print(const struct jfr_print *p, const char *path);
