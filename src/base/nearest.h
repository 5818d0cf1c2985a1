/*
 * nearest.h - how far a mistyped word is from a known word.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

enum { NEAREST_FAR = 1000 }; /* a distance larger than any that is worth suggesting */

/**
 * How many single letters must be added, removed, changed or swapped with their neighbour to make
 * `typed` into `known`; 0 if `known` merely begins with `typed` (two letters or more);
 * NEAREST_FAR if the words have too little in common to be a slip of the fingers.
 */
unsigned nearest_distance(const char *typed, const char *known);
