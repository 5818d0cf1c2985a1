/*
 * xml.h - the parts of an XML document, one after another: elements, attributes, texts.
 *
 * Of XML as much as settings files use: comments and declarations are passed over, references are
 * the five named ones and numbers, and there are no entities, so nothing in a document makes
 * another one grow. The reader points into the document and allocates nothing. It keeps no stack:
 * whether the ends fit the beginnings is its user's question. It remembers its first error.
 * Source: XML 1.0. Context of everything here: any.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum xml_kind { XML_OPENS, XML_ATTRIBUTE, XML_TEXT, XML_CLOSES };

/** A part. All of it lies in the document. */
struct xml_part {
    enum xml_kind kind;
    bool is_short;    /* XML_CLOSES: of <name/> */
    bool is_literal;  /* XML_TEXT: of <![CDATA[...]]>, where a reference is none */
    const char *name; /* of an element or attribute, without an end */
    size_t name_len;
    const char *text; /* of an attribute or text, with references, without an end */
    size_t text_len;
};

struct xml {
    const char *at, *end;
    unsigned line;         /* of `at`, from 1; after an error, where that is */
    const char *why;       /* of an error: static text */
    struct xml_part opens; /* the element whose attributes are being read; name NULL: none */
};

/** `text` is borrowed. */
void xml_open(struct xml *x, const char *text, size_t len);
/** Returns 1 and the next part; 0 at the end; E_SYNTAX with x->why and x->line, also from then on.
 * Attributes come behind the XML_OPENS of their element. */
int xml_next(struct xml *x, struct xml_part *ret);
/** Makes what the document says an error, whose reason is `why`. Returns E_SYNTAX. */
int xml_fail(struct xml *x, const char *why);
/** Whether the part has this name, in the same letters. */
bool xml_is(const struct xml_part *part, const char *name);
/** The text of the part with its references resolved, as UTF-8 with an end; what has no room is cut
 * off. `text_len` + 1 bytes are always enough. Returns its length. */
size_t xml_text(const struct xml_part *part, char *to, size_t room);
