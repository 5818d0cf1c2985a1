/*
 * options_call.h - which calls an option means: CLASS::METHOD, or CLASS::METHOD:>TIME for calls
 * that last longer. The grammar of method= and onmethod=.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/** The parts of a value. Owner: they lie in the text that was split. */
struct options_call {
    char *klass;  /* java/io/File */
    char *method; /* exists */
    bool has_least;
    uint64_t least_ns; /* the call must last longer; 0 without has_least */
};

/**
 * Check a value, and write the slashes of its class in place. With `may_match` a `*` stands for any
 * characters, in the class and in the method. Returns false if the value is wrong. Context: any.
 */
bool options_call_check(char *text, bool may_match);
/** Split a text that was checked, in place. Context: any. */
struct options_call options_call_split(char *text);
