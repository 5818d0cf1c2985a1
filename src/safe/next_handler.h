/*
 * next_handler.h - call the signal handler that was installed before ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>

/** Call the handler that `to` names. False: `to` names no handler, but the default action, or says
 * to ignore the signal. Reads only `to`. Context: signal. */
bool next_handler_call(const struct sigaction *to, int signal, siginfo_t *info, void *ucontext);
