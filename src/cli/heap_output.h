/*
 * heap_output.h - where `hprof heap` writes its answer: standard output, or a file whose suffix
 * says the form. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "command/outfile.h"
#include "command/plainout.h"

/** What a suffix asks for. */
enum heap_output_form {
    HEAP_OUTPUT_TEXT, /* standard output, and nothing else was asked for */
    HEAP_OUTPUT_PAGE, /* .html, .htm */
    HEAP_OUTPUT_MARKDOWN,
    HEAP_OUTPUT_JSON,
};

/** An output that is being written. It may not move. */
struct heap_output {
    const char *path;  /* NULL: standard output */
    struct sink *sink; /* callers write here */
    struct plainout plain;
    struct outfile file;
    struct sink in_file;
};

/** The form that the suffix of a name asks for. Errors: E_SYNTAX after saying which there are. */
int heap_output_form(const char *path, enum heap_output_form *ret_form);
/** Opens the output; `is_data`: as for plainout_open(). Errors: negative after saying why. Owner:
 * heap_output_close(), after success. */
int heap_output_open(const char *path, bool is_data, struct heap_output *ret_output);
/** Ends it. `error` negative: a file is not left behind. Returns `error`, or an error of writing
 * after saying why. */
int heap_output_close(struct heap_output *o, int error);
