/* SentencePiece's precompiled_charsmap: how text is normalised before it is divided.  Loaders index its trie without asking
 * (spm_precompiled, which tokenizers uses; SentencePiece; llama.cpp).  Follows formats/configs, section 4.2:
 *
 *	u32 size of the trie in bytes | the trie: u32 units of a double array (Darts) | texts, each ended by a NUL
 *
 * Nothing is followed: each unit alone must lead to a place that is there. */
#pragma once

#include "format.h"

enum charsmap_fault {
	CHARSMAP_SOUND,
	CHARSMAP_SIZE,   /* shorter than the size says, no whole number of units, or none */
	CHARSMAP_TEXTS,  /* no UTF-8, or the last one does not end */
	CHARSMAP_LEAF,   /* a leaf says a place that is not the beginning of a text */
	CHARSMAP_OFFSET, /* a unit leads out of the trie */
};

/* *ret_at: where, from the first byte. */
enum charsmap_fault charsmap_check(struct bytes map, size_t *ret_at);
const char *charsmap_words(enum charsmap_fault f);

#define CHARSMAP_BYTES_MAX ((uint64_t)16 << 20) /* SentencePiece's own have 240 KB */

/**
 * charsmap_check_part() - one that lies in the file as it is
 * @at, @n: inside l->part.  @subject: of the finding.
 * Return: WLK_DONE, also with a finding; WLK_INCOMPLETE.
 */
enum wlk_status charsmap_check_part(struct layout *l, uint64_t at, uint64_t n, struct bytes subject);
