/*
 * heapredact_names.h - what a text of a dump is, and what becomes of it.
 *
 * Knows no file. Class names may have slashes, as in the JVM's dumps, or dots, as in ours.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct heapredact_request;

enum heapredact_names_fate {
    HEAPREDACT_NAMES_STAY,
    HEAPREDACT_NAMES_GO,               /* zeros */
    HEAPREDACT_NAMES_EMPTY_DESCRIPTOR, /* "()V", because readers parse descriptors */
    HEAPREDACT_NAMES_MADE,             /* heapredact_names_make() */
};

enum { HEAPREDACT_NAMES_ROOM = 32 };

/** What the text could be: bits of enum heapredact_text. The text has no NUL at its end. */
uint32_t heapredact_names_judge(const struct heapredact_request *request, const char *text,
                                size_t len);
/** What becomes of a text with these bits. */
enum heapredact_names_fate heapredact_names_fate(const struct heapredact_request *request,
                                                 uint32_t bits);
/** Makes "nameN". */
void heapredact_names_make(uint64_t number, char ret_name[HEAPREDACT_NAMES_ROOM]);
/** The types of arrays that keep their elements: bit N is the type N of enum hprof_heap_type. */
uint32_t heapredact_names_kept_types(const struct heapredact_request *request);
