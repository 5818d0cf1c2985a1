/*
 * jvmpi_switch.h - EnableEvent, DisableEvent and RequestEvent.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include "jvmpi/jvmpi_bridge.h"

/** What the interface has under these names, for an agent. Context: any, not signal. */
jint jvmpi_switch_enable(int agent, jint event, void *arg);
jint jvmpi_switch_disable(int agent, jint event, void *arg);
jint jvmpi_switch_request(int agent, jint event, void *arg);
/** The VM has come to this phase: turn on what was enabled before and could not be. Context: java.
 */
void jvmpi_switch_reach(JNIEnv *env, enum jvmpi_phase phase);
