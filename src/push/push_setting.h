/*
 * push_setting.h - where requests go, and with what: options, and OpenTelemetry's variables.
 *
 * Source: OpenTelemetry specification, protocol/exporter.md. For each OTEL_EXPORTER_OTLP_NAME the
 * variable OTEL_EXPORTER_OTLP_PROFILES_NAME comes first; an option comes before both.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include "push/push_how.h"

enum { PUSH_HEADERS = 64 };

struct push_setting {
    const char *command;
    char *url; /* malloc'ed */
    bool is_pyroscope, is_gzip;
    char *headers[PUSH_HEADERS]; /* "Name: value", malloc'ed */
    uint32_t header_count;
    const char *certificate, *client_certificate, *client_key; /* paths of files, or NULL */
    uint64_t timeout_ns;
    const char *service; /* OTEL_SERVICE_NAME; NULL: not set */
    char *attributes;    /* OTEL_RESOURCE_ATTRIBUTES, as words that end with a NUL; malloc'ed */
};

/** Errors: 0; negative after saying why. Owner: push_setting_done(), also after an error. */
int push_setting_read(struct push_setting *s, const struct push_how *how);
void push_setting_done(struct push_setting *s);
/** Whether a text may be a header: "Name: value", without control characters. */
bool push_setting_is_header(const char *text);
/** Decodes %41 and so on in place. */
void push_setting_decode(char *text);
