/*
 * mcp_jvm.h - finds the JVM that a client means, among those that the user lets it reach.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "mcp/mcp_line.h"

/**
 * For mcp_reach.find. `word` is the number of a process, or a part of the name of the main class or
 * jar. A JVM can be reached if one of the patterns fits its number, that name, or its last part.
 * Errors:  0; -1 with `why` filled: there is none, it may not be reached, or there are several.
 */
int mcp_jvm_find(const char *word, const char *const *targets, long *ret_pid,
                 char why[MCP_LINE_WHY]);
