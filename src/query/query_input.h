/*
 * query_input.h - an input of a query: which kind of file or process it is, and its bytes.
 *
 * A packed file, a stream or a folder is copied into a temporary file first, because queries read
 * an input several times. SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct diag;
struct feed;

enum { QUERY_INPUT_PROGRAM = 256 };

struct query_input {
    const char *word;     /* as the user wrote it; borrowed */
    uint32_t number;      /* from 1 */
    int fd;               /* of a regular file; -1: a process */
    const char *format;   /* a word for people */
    uint64_t bytes;       /* of the file, unpacked */
    pid_t pid;            /* 0: a file */
    bool is_jfr, is_heap; /* JFR; HPROF binary, which may hold a heap dump */
    bool is_core;         /* a core, which becomes a heap dump when one is asked for */
    bool is_profile;      /* a reader of profiles knows the format */
    bool is_spooled;      /* the bytes lie in a temporary file */
    bool is_damage_told;
    char program[QUERY_INPUT_PROGRAM]; /* that was profiled, once samples were read; "": unknown */
    char path[32];                     /* by which the bytes can be opened again */
};

/** The process that a word means, if no file has this name; 0: it is no number. */
pid_t query_input_pid(const char *word);
/** Opens an input. `tmp` as in struct query_options. Errors: 0; negative after `diag` was told.
 * Owner: query_input_close(), also after an error. */
int query_input_open(struct query_input *in, const char *word, const char *tmp, struct diag *diag);
void query_input_close(struct query_input *in);
