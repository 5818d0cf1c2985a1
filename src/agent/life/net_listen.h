/*
 * net_listen.h - the thread that carries out the commands of the peer of net=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct recording;

/**
 * Start the "HPROF listener thread", which obeys the peer of a recording. Whatever comes over the
 * connection can end at most the listening, never the program.
 * Errors: 0, or negative after a message. Context: java, lock of life held.
 */
int net_listen_start(struct agent *a, JNIEnv *env, struct recording *r);
/**
 * The connection of the recording (NULL: of every recording so far) has been finished: wait for the
 * end of its thread, if there is one.
 * Errors: 0; -ETIMEDOUT: the thread still carries out a command, and the recording must not be
 * freed. Context: java, lock of life held, no other lock.
 */
int net_listen_end(const struct recording *r);
