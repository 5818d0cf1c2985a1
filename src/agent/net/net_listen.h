/*
 * net_listen.h - the thread that does what the peer of net= asks for.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jvmti.h>

struct agent;
struct recording;

/**
 * Start "HPROF listener thread", which obeys the peer of a recording. Whatever comes over the
 * connection, and its end, ends the listening at most. Errors: 0, or negative after a message.
 * Context: java, lock of life held.
 */
int net_listen_start(struct agent *a, JNIEnv *env, struct recording *r);
/**
 * The connection of the recording, NULL: of each one that ever was, has been finished: wait for the
 * end of its thread, if there is one. Errors: 0; -ETIMEDOUT: it still does what the peer asked for,
 * and the recording has to stay. Context: java, lock of life held, no other.
 */
int net_listen_end(const struct recording *r);
