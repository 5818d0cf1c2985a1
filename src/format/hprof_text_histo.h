/*
 * hprof_text_histo.h - HISTOGRAM and LIVE HISTOGRAM: the objects of a heap and their bytes by
 * class.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct hprof_out;
struct writer_table;

/** Writes a table with the layout KIND_TEXT_CLASSES. */
void hprof_text_histo(struct hprof_out *o, const struct writer_table *t);
