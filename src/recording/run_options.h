/*
 * run_options.h - the JVM options that load the agent into the JVMs of `hprof run`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct request;
struct run_file;

/**
 * The value of JAVA_TOOL_OPTIONS: `before` (NULL: nothing), then the option that loads `library`.
 * `manifest` is the path of the list of files; NULL: there is no list, for example in options that
 * are printed. If the request measures nothing, `output` is not used. Errors: NULL after saying
 * why. Owner: the caller frees it.
 */
char *run_options(const struct request *req, const struct run_file *output, const char *manifest,
                  const char *library, const char *before);
