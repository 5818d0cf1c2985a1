/*
 * options_signal.h - the names of the signals that a timer may raise.
 *
 * Not among them: those of the VM (SIGSEGV, SIGQUIT, SIGUSR2 and others, the JDK's
 * signals_posix.cpp), those that end or stop programs by their meaning, the C library's two, and
 * SIGRTMAX-2, with which the JDK wakes threads from blocking reads: its handler is installed by the
 * first of them (NativeThread.c), later than ours. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** A classic signal, which does not queue. */
struct options_signal {
    const char *name; /* without SIG; NULL at the end of the list */
    int number;
};

/** In the order of preference. */
extern const struct options_signal options_signal_classic[];

/**
 * The number of the signal that option signal= names: SIGPROF, PROF, SIGRTMIN+3 or 37. "": 0.
 * Errors: -EINVAL; *ret_why is then a text for users. Context: any, not signal.
 */
int options_signal_named(const char *name, const char **ret_why);
/** Whether it is a real-time one. */
bool options_signal_is_realtime(int number);
