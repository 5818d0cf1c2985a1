/*
 * record_push.h - sends what `hprof record` has recorded (push/push.h).
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <sys/types.h>

/** Takes a file of headers, "@FILE". Errors: 0; negative after saying why. */
int record_push_header(const char *value);
/** Checks that something can be sent to this URL, before anything is recorded. Errors: 0; negative
 * after saying why. */
int record_push_check(const char *url);
/** Looks where the JVM runs, while it runs. */
void record_push_begin(pid_t pid);
/** Sends the file of that JVM. Returns whether all of it arrived; what did not was said. */
bool record_push_send(const char *url, const char *file);
