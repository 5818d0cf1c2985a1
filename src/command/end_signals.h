/*
 * end_signals.h - the signals that end a command in order, so that it can put away what is its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>

/**
 * From now on SIGINT, SIGTERM and SIGHUP do not end this process: they make the result 1. With
 * `also_ignored` so do those of them that the process was told to ignore, as by nohup.
 * Errors: none. Owner: static.
 */
const volatile sig_atomic_t *end_signals_catch(bool also_ignored);
