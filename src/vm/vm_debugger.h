/*
 * vm_debugger.h - the debugging agent that this JVM would load.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * Whether the agent can wait for a command (base/debugger.h). If it cannot, *ret_why says why. The
 * answer is yes if the JVM does not say from where it loads agents. This library need not be open.
 * Context: java, or OnLoad.
 */
bool vm_debugger_takes_command(JavaVM *java, char *ret_why, size_t size);
