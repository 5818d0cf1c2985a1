/*
 * jfr_release_diff.h - prints how the events of one JDK differ from those of another.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct sink;

/** `before` and `after` are numbers of known JDKs; `names` are patterns of events, empty for all
 * events. */
void jfr_release_diff_put(struct sink *s, unsigned before, unsigned after, const char *names);
