/*
 * vm_debugger.h - the debugging agent that this JVM would load.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <jni.h>
#include <stdbool.h>
#include <stddef.h>

/**
 * Whether it can wait for a command (base/debugger.h); if not, `ret_why` says why. It counts as
 * able where the JVM does not tell from where it loads. Nothing of ours need be open.
 * Context: java, or OnLoad.
 */
bool vm_debugger_takes_command(JavaVM *java, char *ret_why, size_t size);
