/*
 * agentlib.h - where the agent's library lies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * Finds libhprof.so: at `named` (--agent) if that is not NULL, else at $HPROF_AGENT, else beside
 * the executable, in its build tree or in the lib folder it was installed with.
 * Errors: 0 and *ret_path, absolute, malloc'ed, the caller frees it; negative after saying why.
 */
int agentlib_find(const char *named, char **ret_path);
