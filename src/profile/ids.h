/*
 * ids.h - the numbers by which rows of a profile refer to each other. They begin at 1; 0 is none.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

typedef uint32_t string_id;
typedef uint32_t class_id;
typedef uint32_t method_id;
typedef uint32_t frame_id;
typedef uint32_t trace_id;
typedef uint32_t thread_id;
typedef uint32_t context_id;
typedef uint32_t process_id;
