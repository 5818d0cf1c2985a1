/*
 * left_alone.h - the JVMs of build tools, which `hprof run` does not profile.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct manifest;

/** The names of the tools, as in "Maven (process 4711) and Gradle (process 4712)". Owner: the
 * caller frees it; NULL: no JVM was left alone, or no memory. */
char *left_alone_names(const struct manifest *m);
