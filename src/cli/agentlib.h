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
/** The library in a file, for programs that this one starts. */
struct agentlib_file {
    char *path;
    int hold; /* of one that is carried, and was put there; programs inherit it; -1 none */
};

/** The same in a file. Owner: agentlib_file_done(), also after an error. */
int agentlib_find_file(const char *named, struct agentlib_file *ret);
/** Somebody is told of the file and may use it at any time: it is not removed. Errors: 0; negative
 * after saying why. */
int agentlib_file_promise(const struct agentlib_file *f);
/** The programs have ended: what was put there is removed unless a JVM has it loaded still. */
void agentlib_file_done(struct agentlib_file *f);
