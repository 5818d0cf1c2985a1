/*
 * jfc_write.h - a tree of settings as the text of a .jfc file, as the JDK's tool writes it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfc_tree;
struct textbuf;

/** But for comments, byte for byte what `jfr configure` of JDK 17 to 28 writes for the same
 * elements. */
void jfc_write(const struct jfc_tree *t, struct textbuf *to);
