/*
 * next_handler.h - what a signal handler of ours owes to the one that was there before.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>

/** Calls the handler that `to` names; false: it names none, but the default or to ignore the
 * signal. Reads `to` alone. Context: signal. */
bool next_handler_call(const struct sigaction *to, int signal, siginfo_t *info, void *ucontext);
