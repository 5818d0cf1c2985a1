/*
 * jvmpi_switch.h - EnableEvent, DisableEvent and RequestEvent.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include "jvmpi/jvmpi_bridge.h"

/** The functions of the interface with these names, for an agent. Context: any, not signal. */
jint jvmpi_switch_enable(int agent, jint event, void *arg);
jint jvmpi_switch_disable(int agent, jint event, void *arg);
jint jvmpi_switch_request(int agent, jint event, void *arg);
/**
 * Turn on the events that were enabled earlier and had to wait for this phase of the VM.
 * Context: java.
 */
void jvmpi_switch_reach(JNIEnv *env, enum jvmpi_phase phase);
