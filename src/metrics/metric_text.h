/*
 * metric_text.h - writes a reading as OpenMetrics text.
 *
 * Dots of names become underscores, and the unit and the suffix of the type stand behind the name,
 * as the OpenTelemetry specification of compatibility with Prometheus says: jvm.memory.used is
 * jvm_memory_used_bytes, jvm.cpu.time is jvm_cpu_time_seconds_total. Each sample names its JVM by
 * the labels process_pid, jvm_main_class and container_id. Source: OpenMetrics 1.0.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct metric_set;
struct sink;

/** The content type of the text. */
#define METRIC_TEXT_TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"

void metric_text_write(struct sink *out, const struct metric_set *s);
