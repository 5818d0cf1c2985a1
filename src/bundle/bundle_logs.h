/*
 * bundle_logs.h - the logs that a JVM writes: those of the collector that its options name, and the
 * fatal error logs beside them; and the files of its control group.
 *
 * The names are those of the process, which may be hostile: they are opened below its root and with
 * its user's rights, and only regular files are read, the last megabytes of them.
 * Context: any, not signal; one thread, because the process's ids change for a while.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jvm;

/** Takes a file under its name in the archive. */
typedef void bundle_logs_taker(void *with, const char *file, const char *text, size_t len);

void bundle_logs_take(const struct jvm *jvm, bundle_logs_taker *take, void *with);
