/*
 * otlp.h - the field numbers of OpenTelemetry's profiles, and the attributes of samples.
 *
 * Source: opentelemetry-proto 1.11.0, opentelemetry/proto/profiles/v1development/profiles.proto.
 * That version is in development: when it changes, this file must change.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

enum { OTLP_DATA_RESOURCE = 1, OTLP_DATA_DICTIONARY = 2 };
enum { OTLP_RESOURCE = 1, OTLP_RESOURCE_SCOPES = 2 };
enum { OTLP_RESOURCE_ATTRIBUTES = 1 };
enum { OTLP_KEY = 1, OTLP_VALUE = 2 };
enum { OTLP_SCOPE = 1, OTLP_SCOPE_PROFILES = 2 };
enum { OTLP_SCOPE_NAME = 1, OTLP_SCOPE_VERSION = 2 };
enum {
    OTLP_PROFILE_TYPE = 1,
    OTLP_PROFILE_SAMPLES = 2,
    OTLP_PROFILE_TIME = 3,
    OTLP_PROFILE_DURATION = 4,
    OTLP_PROFILE_PERIOD_TYPE = 5,
    OTLP_PROFILE_PERIOD = 6,
    OTLP_PROFILE_ID = 7,
};
enum { OTLP_TYPE = 1, OTLP_UNIT = 2 };
enum {
    OTLP_SAMPLE_STACK = 1,
    OTLP_SAMPLE_ATTRIBUTES = 2,
    OTLP_SAMPLE_LINK = 3,
    OTLP_SAMPLE_VALUES = 4,
};
enum {
    OTLP_MAPPINGS = 1,
    OTLP_LOCATIONS = 2,
    OTLP_FUNCTIONS = 3,
    OTLP_LINKS = 4,
    OTLP_STRINGS = 5,
    OTLP_ATTRIBUTES = 6,
    OTLP_STACKS = 7,
};
enum { OTLP_MAPPING_FILE = 4 };
enum { OTLP_LOCATION_MAPPING = 1, OTLP_LOCATION_LINES = 3, OTLP_LOCATION_ATTRIBUTES = 4 };
enum { OTLP_LINE_FUNCTION = 1, OTLP_LINE_LINE = 2 };
enum { OTLP_FUNCTION_NAME = 1, OTLP_FUNCTION_SYSTEM = 2, OTLP_FUNCTION_FILE = 3 };
enum { OTLP_STACK_LOCATIONS = 1 };
enum { OTLP_ATTRIBUTE_KEY = 1, OTLP_ATTRIBUTE_VALUE = 2 };
enum { OTLP_ANY_STRING = 1, OTLP_ANY_INT = 3 };
enum { OTLP_LINK_TRACE = 1, OTLP_LINK_SPAN = 2, OTLP_TRACE_BYTES = 16, OTLP_SPAN_BYTES = 8 };

#define OTLP_SERVICE "service.name"
#define OTLP_INSTANCE "service.instance.id"
#define OTLP_HOST "host.name"
#define OTLP_CONTAINER "container.id"
#define OTLP_RUNTIME "process.runtime.version"
#define OTLP_PID "process.pid"
#define OTLP_CREATION "process.creation.time" /* ISO 8601 */
#define OTLP_THREAD_ID "thread.id"
#define OTLP_THREAD_NAME "thread.name"
#define OTLP_FRAME_TYPE "profile.frame.type" /* jvm, native, kernel */
#define OTLP_CLASS "hprof.class"             /* class of the objects */
#define OTLP_TEXT "hprof.text"               /* a monitor, or the cause of a garbage collection */
#define OTLP_CONTEXT "context." /* in front of a context key that has one of the names above */

/* The answer of a receiver (collector/profiles/v1development/profiles_service.proto). */
enum { OTLP_ANSWER_PARTIAL = 1 };
enum { OTLP_PARTIAL_REJECTED = 1, OTLP_PARTIAL_MESSAGE = 2 };

/** An attribute of a resource. */
struct otlp_attribute {
    const char *key, *value;
};

/**
 * What a request to a receiver says that a file does not. The writer of the format finds it as the
 * profile's attachment (profile_attach()).
 */
struct otlp_request {
    const struct otlp_attribute *attributes; /* of each resource; they replace what is known */
    size_t count;
    const char *host; /* where the JVMs run, for their service.instance.id; "": unknown */
    /* The identifier of the next profile. The writer counts it up. */
    unsigned char id[OTLP_TRACE_BYTES];
    uint64_t samples, profiles; /* how many were written */
};
#define OTLP_ATTACHMENT "otlp"
