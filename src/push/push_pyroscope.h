/*
 * push_pyroscope.h - a file as a request of Pyroscope's /ingest.
 *
 * A JFR file goes as it is; of any other file a pprof file is made. Source: grafana.com/docs/
 * pyroscope, "Server HTTP API", /ingest.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct load;
struct push_sender;

/** Sends a file. Errors: 0; negative after saying why. What is dropped is no error. */
int push_pyroscope(struct push_sender *s, const char *file, const struct load *load);
