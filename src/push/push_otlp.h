/*
 * push_otlp.h - a file's profile as requests of OTLP.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
struct load;
struct push_sender;

/** Sends what was read of a file. Errors: 0; negative after saying why. What is dropped is no
 * error. */
int push_otlp(struct push_sender *s, const char *file, const struct load *load);
