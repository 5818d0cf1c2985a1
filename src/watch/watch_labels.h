/*
 * watch_labels.h - the labels of a JVM: attributes of OpenTelemetry's resources.
 *
 * Three sources, of which a later one replaces an earlier one: what the program says of itself
 * (OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES in its environment, -Dotel.service.name and
 * -Dotel.resource.attributes on its command line, and the resource that an SDK in it has made of
 * these and of more, which it publishes: jvm/published.h), what the system knows (control groups,
 * the host), and what the configuration says. Of the environment of a program nothing else is kept.
 * Everything that a program says is hostile: keys and values are plain, short and few.
 * Source: OpenTelemetry specification, configuration/sdk-environment-variables and resource/sdk;
 * OpenTelemetry Java, autoconfigure (a system property comes before a variable).
 * Context: any, not signal.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

struct jvm;

enum { WATCH_LABELS_MAX = 40, WATCH_LABELS_KEY = 64, WATCH_LABELS_VALUE = 256 };

struct watch_labels {
    struct watch_label {
        char key[WATCH_LABELS_KEY], value[WATCH_LABELS_VALUE];
    } rows[WATCH_LABELS_MAX];
    size_t count;
};

/** Sets a label. A key with odd characters, an empty value and one too many are left out. */
void watch_labels_set(struct watch_labels *l, const char *key, const char *value);
/** Sets the labels of "key=value,key=value", whose values are encoded as in URLs. */
void watch_labels_set_list(struct watch_labels *l, const char *list);
/** The value of a label; NULL: there is none. */
const char *watch_labels_get(const struct watch_labels *l, const char *key);
/** What a program says: its environment as in /proc/PID/environ, and the options of its VM with
 * blanks between them (NULL: unknown). */
void watch_labels_of_program(struct watch_labels *l, const char *environment, size_t len,
                             const char *options);
/** What the system knows, from the text of /proc/PID/cgroup. */
void watch_labels_of_groups(struct watch_labels *l, const char *groups);
/** Reads a JVM: all but what the configuration says. `groups` is the text of its cgroup file. */
void watch_labels_read(struct watch_labels *l, const struct jvm *jvm, const char *groups);
