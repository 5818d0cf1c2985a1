/*
 * agentlib.h - finds the agent library, in a file or in the command itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

/**
 * Finds libhprof.so. The path is `named` (the value of --agent) if it is not NULL; else
 * $HPROF_AGENT; else a file beside the executable, in its build tree or in the lib folder of the
 * installation. *ret_path is NULL if none is found: then the library that the executable carries is
 * used (jvm/agent_carried.S).
 * Errors: 0 and *ret_path, absolute, malloc'ed, the caller frees it; negative after saying why.
 */
int agentlib_find(const char *named, char **ret_path);
/** The library in a file, for programs that this command starts. */
struct agentlib_file {
    char *path;
    int hold; /* holds the carried library; programs inherit it; -1 none */
};

/** Works like agentlib_find(), but puts a carried library into a file. Owner: agentlib_file_done(),
 * also after an error. */
int agentlib_find_file(const char *named, struct agentlib_file *ret);
/** Never remove the file, because other programs know its path and may use it at any time. Errors:
 * 0; negative after saying why. */
int agentlib_file_promise(const struct agentlib_file *f);
/** The programs have ended: removes the copy that was made for them, unless a JVM still has it
 * loaded. */
void agentlib_file_done(struct agentlib_file *f);
