/*
 * jfr_release_diff.h - what the events of one JDK have otherwise than those of another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;

/** `before` and `after` are numbers of known JDKs; `names`: patterns of events, empty for all. */
void jfr_release_diff_put(struct sink *s, unsigned before, unsigned after, const char *names);
