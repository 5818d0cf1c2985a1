/*
 * output.h - the profile's file: its name, its life, and what goes wrong with it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include "agent/options.h"
#include "base/sink.h"
#include "format/hprof_out.h"

struct output {
    char path[OPTIONS_VALUE + 64]; /* as it was created */
    int fd;
    int complained; /* a write error has been reported */
    struct sink sink;
    struct hprof_out out;
};

/**
 * Create the file by the rules of file=, force= and expand=.
 *
 * Errors: 0, or negative after a message on stderr. Context: any.
 */
int output_create(struct output *o, const struct options *options);
/** Write the header. Context: any. */
void output_begin(struct output *o, const struct options *options, struct profile *profile,
                  int large_heap);
/** Hand everything to the kernel; the first failure is reported once. */
void output_flush(struct output *o);
void output_close(struct output *o);
/** Append "pid TAB path" to the manifest, if the options name one. */
void output_note_manifest(const struct output *o, const struct options *options);
