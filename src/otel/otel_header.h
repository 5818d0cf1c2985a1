/*
 * otel_header.h - what reader and writer of the process context share: its header, and the numbers
 * and words of its payload. otel_process.h describes them and names their source.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

#define OTEL_HEADER_SIGNATURE "OTEL_CTX"
/* The version of the thread context that is published today; readers refuse others. */
#define OTEL_HEADER_SCHEMA_KEY "threadlocal.schema_version"
#define OTEL_HEADER_SCHEMA "tlsdesc_v1_dev"
#define OTEL_HEADER_NAMES_KEY "threadlocal.attribute_key_map"

enum { OTEL_HEADER_VERSION = 2, OTEL_HEADER_SIGNATURE_BYTES = 8 };
/* Fields of ProcessContext, AnyValue and ArrayValue. */
enum { OTEL_HEADER_RESOURCE = 1, OTEL_HEADER_ATTRIBUTES = 2 };
enum { OTEL_HEADER_ANY_ARRAY = 5, OTEL_HEADER_ARRAY_VALUES = 1 };

struct otel_header {
    char signature[OTEL_HEADER_SIGNATURE_BYTES];
    uint32_t version, payload_bytes;
    uint64_t published_ns, payload;
};

_Static_assert(sizeof(struct otel_header) == 32, "the specification's header");
