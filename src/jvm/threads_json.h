/*
 * threads_json.h - writes a thread dump of a JVM as JSON.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

struct sink;
struct threaddump;
struct threads_outside;

/** Writes one object and a line break. Errors are the sink's. */
void threads_json_put(struct sink *s, const struct threaddump *d, const struct threads_outside *o,
                      pid_t pid);
