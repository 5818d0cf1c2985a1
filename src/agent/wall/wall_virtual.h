/*
 * wall_virtual.h - samples of virtual threads that have no carrier: they wait, or for a processor.
 *
 * Those that have one are on the stack of its thread (wall_look.h). Of the others a few are drawn
 * and looked at, and stand for all. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/wall/wall_sampler.h"

/** Look at some now. The calling thread alone does it, without the agent's lock. Context: java. */
void wall_virtual_look(struct wall_sampler *s, JNIEnv *env);
/** The recording begins. Needs the agent's lock. */
void wall_virtual_join(const struct recording *r);
/** Nobody looks any more: give back what is kept. Context: as above. */
void wall_virtual_close(JNIEnv *env);
