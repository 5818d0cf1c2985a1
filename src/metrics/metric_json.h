/*
 * metric_json.h - writes a reading as JSON: the JVMs, and for each of them its metrics by the names
 * of the OpenTelemetry conventions.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct metric_set;
struct sink;

void metric_json_write(struct sink *out, const struct metric_set *s);
