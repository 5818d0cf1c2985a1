/*
 * jfr_layout.h - the numbers of JFR files that reader and writer share: chunk header, encodings.
 *
 * A file is a sequence of chunks and nothing else. A chunk is a header of big-endian fields, and
 * then events. Each event begins with its size and its type. Two types belong to the format itself;
 * the metadata event describes all others. Integers after the header are LEB128; unlike in plain
 * LEB128 the ninth byte has eight bits.
 * Source: OpenJDK, jdk.jfr.internal.consumer.ChunkHeader, ParserFactory; jfrChunkWriter.cpp.
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once

#define JFR_LAYOUT_MAGIC "FLR" /* with its final NUL */

/** Offsets of the fields of the chunk header, and the size of the header. */
enum jfr_layout_header {
    JFR_LAYOUT_MAGIC_AT = 0,
    JFR_LAYOUT_MAJOR_AT = 4, /* u2 */
    JFR_LAYOUT_MINOR_AT = 6, /* u2 */
    /* u8, of the chunk with its header; u8 are also the fields up to STATE */
    JFR_LAYOUT_SIZE_AT = 8,
    JFR_LAYOUT_CHECKPOINT_AT = 16, /* offset of the newest checkpoint in the chunk; 0: none */
    JFR_LAYOUT_METADATA_AT = 24,   /* offset of the newest metadata event in the chunk */
    JFR_LAYOUT_START_NS_AT = 32,   /* since 1970 */
    JFR_LAYOUT_DURATION_NS_AT = 40,
    JFR_LAYOUT_START_TICKS_AT = 48,
    JFR_LAYOUT_TICKS_PER_SECOND_AT = 56,
    JFR_LAYOUT_STATE_AT = 64, /* u1, enum jfr_layout_state; since 2.1, 0 before */
    JFR_LAYOUT_FLAGS_AT = 67, /* u1, enum jfr_layout_flag */
    JFR_LAYOUT_HEADER = 68,
};

enum {
    JFR_LAYOUT_MAJOR = 2,
    JFR_LAYOUT_MINOR = 1,
    JFR_LAYOUT_LEB_MAX = 9, /* bytes of the longest integer */
};

/** The numbers 1 to 254 count the flushes of a chunk that is still being written. The tools of JDK
 * 21 and later refuse a file that ends with such a chunk. */
enum jfr_layout_state {
    JFR_LAYOUT_FINISHED = 0,
    JFR_LAYOUT_UPDATING = 255, /* the header is being changed */
};

enum jfr_layout_flag {
    JFR_LAYOUT_COMPRESSED = 1, /* integers are LEB128 */
    JFR_LAYOUT_LAST = 2,       /* the last chunk of the recording */
};

/** The types of the two events that the metadata does not describe. */
enum jfr_layout_event { JFR_LAYOUT_METADATA = 0, JFR_LAYOUT_CHECKPOINT = 1 };

/** The flags byte of a checkpoint. */
enum jfr_layout_checkpoint {
    JFR_LAYOUT_FLUSH = 1,      /* after this checkpoint everything before it can be read */
    JFR_LAYOUT_CHUNK_INFO = 2, /* holds a copy of the header */
    JFR_LAYOUT_STATICS = 4,    /* constants that are the same in every chunk */
    JFR_LAYOUT_THREADS = 8,
};

/** The first byte of a string. */
enum jfr_layout_string {
    JFR_LAYOUT_STRING_NULL,
    JFR_LAYOUT_STRING_EMPTY,
    JFR_LAYOUT_STRING_POOL, /* followed by a key of the pool of java.lang.String */
    JFR_LAYOUT_STRING_UTF8, /* followed by a count of bytes, and the bytes */
    /* followed by a count of UTF-16 units, and the units, each an integer */
    JFR_LAYOUT_STRING_CHARS,
    JFR_LAYOUT_STRING_LATIN1, /* followed by a count of bytes, and the bytes */
};
