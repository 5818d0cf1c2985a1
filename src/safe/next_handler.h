/*
 * next_handler.h - put a signal handler in, and call the one that was installed before.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <signal.h>
#include <stdbool.h>

/** Call the handler that `to` names. False: `to` names no handler, but the default action, or says
 * to ignore the signal. Reads only `to`. Context: signal. */
bool next_handler_call(const struct sigaction *to, int signal, siginfo_t *info, void *ucontext);

typedef void next_handler_own(int signal, siginfo_t *info, void *ucontext);

/** Whether `action` is that handler of ours. Context: any. */
bool next_handler_is(const struct sigaction *action, next_handler_own *own);
/**
 * Install `own`, unless the signal has a handler of the application. What the signal did before is
 * in *ret_before, before `own` can run; it stays as it is if `own` was installed already. While the
 * handler runs, the signals of profilers are blocked: a profiler's walk would end in our handler.
 * Errors: 0; -EBUSY: there is a handler; -errno. Context: any, not signal.
 */
int next_handler_take(int signal, next_handler_own *own, struct sigaction *ret_before);
