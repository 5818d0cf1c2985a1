/*
 * agentlib.h - where the agent's library lies, and that it need not lie anywhere.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * Finds libhprof.so: at `named` (--agent) if that is not NULL, else at $HPROF_AGENT, else beside
 * the executable, in its build tree or in the lib folder it was installed with. NULL is the one
 * that the executable carries (cli/agent_carried.h).
 * Errors: 0 and *ret_path, absolute, malloc'ed, the caller frees it; negative after saying why.
 */
int agentlib_find(const char *named, char **ret_path);
/** The same for programs that this one starts: one that is carried is put into a file. */
int agentlib_find_file(const char *named, char **ret_path);
