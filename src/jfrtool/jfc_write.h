/*
 * jfc_write.h - writes a tree of settings as the text of a .jfc file, as the JDK's tool does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfc_tree;
struct textbuf;

/** The text equals that of `jfr configure` of JDK 17 to 28 for the same elements, byte for byte,
 * except for comments. */
void jfc_write(const struct jfc_tree *t, struct textbuf *to);
