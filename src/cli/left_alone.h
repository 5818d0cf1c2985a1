/*
 * left_alone.h - what `hprof run` says of the JVMs of build tools, which are not profiled.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct manifest;

/** The tools, as in "Maven (process 4711) and Gradle (process 4712)". Owner: the caller frees it;
 * NULL: none was left alone, or no memory. */
char *left_alone_names(const struct manifest *m);
