/*
 * options_signal.h - the names of the signals that a timer may raise.
 *
 * Three kinds of signals are excluded: those of the VM (SIGSEGV, SIGQUIT, SIGUSR2 and others; the
 * JDK's signals_posix.cpp); those that end or stop programs; and the two of the C library.
 * SIGRTMAX-2 is excluded too: the JDK wakes threads from blocking reads with it, and installs its
 * handler at the first such read (NativeThread.c), which is later than ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** A classic signal, which does not queue. */
struct options_signal {
    const char *name; /* without SIG; NULL: the end of the list */
    int number;
};

/** The classic signals that are free for a timer; rival.c says which of them a timer takes. */
extern const struct options_signal options_signal_classic[];

/**
 * The number of the signal that the option signal= names: SIGPROF, PROF, SIGRTMIN+3 or 37. "": 0.
 * Errors: -EINVAL, with a text for users in *ret_why. Context: any, not signal.
 */
int options_signal_named(const char *name, const char **ret_why);
/** Whether the signal is a real-time signal. */
bool options_signal_is_realtime(int number);
