/*
 * xml.h - the parts of an XML document, one after another: elements, attributes, texts.
 *
 * It reads only the part of XML that settings files use. Comments and declarations are skipped.
 * References are the five named ones and numbers; there are no other entities, so a small document
 * cannot grow into a large text. The reader points into the document and allocates nothing. It
 * keeps no stack: its user checks that each end tag fits its start tag. It remembers its first
 * error.
 * Source: XML 1.0. Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum xml_kind { XML_OPENS, XML_ATTRIBUTE, XML_TEXT, XML_CLOSES };

/** One part. Its texts lie in the document. */
struct xml_part {
    enum xml_kind kind;
    bool is_short;    /* XML_CLOSES: the element was written <name/> */
    bool is_literal;  /* XML_TEXT: from <![CDATA[...]]>, which has no references */
    const char *name; /* name of an element or attribute, without a final 0 */
    size_t name_len;
    /* value of an attribute, or a text; references not resolved, without a final 0 */
    const char *text;
    size_t text_len;
};

struct xml {
    const char *at, *end;
    unsigned line;   /* the line of `at`, from 1; after an error, its line */
    const char *why; /* the reason of an error: static text */
    /* the element whose attributes are being read; name NULL: none */
    struct xml_part opens;
};

/** `text` is borrowed. */
void xml_open(struct xml *x, const char *text, size_t len);
/** Returns 1 and the next part; 0 at the end; E_SYNTAX with x->why and x->line, also at each later
 * call. The attributes of an element follow its XML_OPENS. */
int xml_next(struct xml *x, struct xml_part *ret);
/** Reject the document because of what it says; `why` is the reason. Returns E_SYNTAX. */
int xml_fail(struct xml *x, const char *why);
/** Whether the part has this name; the case matters. */
bool xml_is(const struct xml_part *part, const char *name);
/** Writes the text of the part as UTF-8 with a final 0 and its references resolved. The text is cut
 * if there is no room; `text_len` + 1 bytes are always enough. Returns the length. */
size_t xml_text(const struct xml_part *part, char *to, size_t room);
