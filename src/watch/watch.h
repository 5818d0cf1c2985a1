/*
 * watch.h - keeps recordings of the JVMs of this machine, and sends them to a receiver.
 *
 * One process finds JVMs by rules, and visits each of them now and then (watch_visit.h). What was
 * recorded waits in a folder of bounded size (watch_spool.h) until it has been sent
 * (watch_send.h). The process keeps nothing in memory that it needs after a restart.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

struct cmd;

/** Runs until SIGTERM or SIGINT. SIGHUP reads the configuration again. Returns an exit status,
 * after saying why it is not 0. */
int watch_run(const struct cmd *cmd, const char *path);
/** Prints which JVMs would be recorded, and why. `tries`: also whether they can be. Nothing is
 * touched. Returns an exit status. */
int watch_list(const struct cmd *cmd, const char *path, bool tries);
