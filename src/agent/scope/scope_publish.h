/*
 * scope_publish.h - publishes what threads work for, for other profilers: by OpenTelemetry's thread
 * context (scope_record.h) and process context (otel/otel_publish.h).
 *
 * It begins when a recording asks for it and a program has named a key. The standard allows one
 * process context in a process: if something else in the process has one, or another library has
 * the variable of thread contexts, this publication gives way until it is asked for anew.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>

/** Publish from the next look on. Context: any, not signal. */
void scope_publish_begin(void);
/** Whether scope_publish_look() is to be called each second. Context: any. */
bool scope_publish_is_wanted(void);
/**
 * Publish if it is time, add keys that are new, or give way; after scope_published_look(), or when
 * a key was added. Context: java, without the agent's lock.
 */
void scope_publish_look(void);
/** Publish nothing any more. Context: any, not signal. */
void scope_publish_end(void);
