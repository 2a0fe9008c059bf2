/* What the parts of the reader of YAML share: config_yaml_events.c (events), config_yaml_tags.c (tags), config_yaml_lists.c
 * (texts that HyperPyYAML takes for lists). */
#pragma once

#include <yaml.h>

#include "config_impl.h"
#include "scoped_names.h"

#define DEPTH_MAX 64u
#define PLACES_MAX 32u  /* of the machine, by names that others refer to */
#define TUPLES_MAX 256u /* kept until it is known whose file it is */

struct anchor {
	uint64_t size; /* 1 and what is in it, with aliases followed */
	uint64_t has;  /* keys of a map: config_bits() */
	struct config_copy nodes;
	struct bytes text;
	bool scalar, open, cut; /* the text is longer than what is kept */
};

#define NAME_BYTES 256u

struct level {
	bool map, key; /* a key comes next */
	bool is_key;   /* all of it is a key */
	bool called;   /* it is what a tag calls is given, or in that */
	uint32_t base; /* of its keys in the table */
	uint64_t size;
	uint32_t anchor;   /* NODE_NONE */
	uint32_t node;     /* of a map or list that may stand elsewhere, too; NODE_NONE */
	struct bytes name; /* of the entry that is read; in buf */
	uint8_t buf[NAME_BYTES];
};

/* A key that is given twice: the first such. */
struct twice {
	bool found;
	uint64_t at;
	uint8_t buf[NAME_BYTES];
	size_t n;
};

struct yaml {
	struct config *c;
	struct bytes text;
	size_t at; /* in bytes, of what mark_chars counts in characters */
	size_t at_chars;
	struct level levels[DEPTH_MAX + 1];
	unsigned depth;
	struct anchor *anchors;
	struct scoped_names anchor_names, keys;
	uint32_t n_anchors;
	uint64_t events;
	unsigned documents;
	bool told_expansion, stop;
	bool referred;                  /* there is a !ref */
	uint64_t breaks, quoted_breaks; /* that only YAML 1.1 knows: all, and those in quotes */
	struct twice twice[2];          /* of other keys, of those that loaders act on */
	struct tuple {
		struct bytes text;
		uint64_t at;
		bool by_reference; /* a list only where there is a !ref */
	} tuples[TUPLES_MAX];
	unsigned n_tuples;
	struct place {
		enum wlk_finding fault; /* 0: it is only referred to */
		uint8_t n, name[63];
		uint64_t at;
	} places[PLACES_MAX], referrals[PLACES_MAX];
	unsigned n_places, n_referrals;
	bool places_full;
};

static inline struct bytes text_of(const yaml_char_t *at)
{
	return at != NULL ? bytes_of(at, strlen((const char *)at)) : bytes_of(NULL, 0);
}

/* Found at what is read now. */
void yaml_tell(struct yaml *y, enum wlk_finding code, struct bytes found, uint64_t at);
/* By the resolved tag. */
void yaml_tell_tag(struct yaml *y, struct bytes tag, uint64_t at);

/* Of a scalar: what may be a list is kept until it is known whose file it is. */
void yaml_keep_tuple(struct yaml *y, struct bytes text, bool tagged, uint64_t at);
void yaml_keep_referred(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at);
void yaml_check_reference(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at);
/* A value, before it is taken: a path that a class of HyperPyYAML's opens. */
bool yaml_tag_calls(struct bytes tag);
void yaml_check_argument(struct yaml *y, struct bytes tag, struct bytes text, uint64_t at);
/* At the end. */
void yaml_read_tuples(struct yaml *y);
void yaml_check_referrals(struct yaml *y);
