/*
 * hprof_text_sites.h - writes the SITES table: a slot of the text form.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct writer_out;
struct writer_sites;

int hprof_text_sites(struct writer_out *w, struct writer_sites *t);
