/*
 * wall_virtual.h - samples of virtual threads that have no carrier: they wait, or are ready to run.
 *
 * A virtual thread with a carrier is seen on its carrier's stack (wall_look.h). Of the others a few
 * are drawn and looked at, and stand for all.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/wall/wall_sampler.h"

/**
 * Draw some virtual threads and look at them. Only the sampling thread does this, without the
 * agent's lock. Context: java.
 */
void wall_virtual_look(struct wall_sampler *s, JNIEnv *env);
/** The recording begins. Needs the agent's lock. */
void wall_virtual_join(const struct recording *r);
/** No thread looks any more: release what is kept. Needs the agent's lock. */
void wall_virtual_close(JNIEnv *env);
