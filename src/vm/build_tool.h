/*
 * build_tool.h - whether a JVM is that of a build tool, not that of the program which it starts.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * The build tool whose JVM has this command, as the launcher notes it: class or jar, `len` bytes,
 * then the arguments, parted by blanks. NULL: it is none's. Owner: a constant. Context: any.
 */
const char *build_tool_of(const char *command, size_t len);
