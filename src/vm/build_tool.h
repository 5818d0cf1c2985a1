/*
 * build_tool.h - whether a JVM belongs to a build tool and not to the program that the tool starts.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

/**
 * The build tool whose JVM has this command. The command is noted by the launcher: the class or jar
 * of `len` bytes, then the arguments with blanks between them. NULL: no build tool's.
 * Owner:   a constant.
 * Context: any.
 */
const char *build_tool_of(const char *command, size_t len);
