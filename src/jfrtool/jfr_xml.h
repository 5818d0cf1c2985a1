/*
 * jfr_xml.h - writes events as XML, byte for byte as the JDK's `jfr print --xml` does.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

struct jfr_printer;
struct jfr_record;
struct jfr_type;

void jfr_xml_begin(struct jfr_printer *o);
void jfr_xml_event(struct jfr_printer *o, const struct jfr_type *type,
                   const struct jfr_record *record);
void jfr_xml_end(struct jfr_printer *o);
