/* Chat templates: Jinja source that consumers execute (CVE-2024-34359), judged without ever being rendered.  The source
 * is cut into text and blocks as Jinja 2 does it; rules apply to names, tags and string literals inside blocks, never to
 * prose.  Follows formats/gguf, section 8; outside GGUF the same rules have codes of their own (formats/others,
 * Decisions 7).  docs/formats/templates.md says what each rule takes and leaves. */
#pragma once

#include "arena.h"
#include "report.h"
#include "siphash.h"
#include "status.h"

/* A template longer than this is a finding and is not looked into.  The longest published is below 40 KiB. */
#define TEMPLATE_BYTES_MAX ((size_t)1 << 20)

/* Of one configuration.  Models have a handful, and each is read up to 27 times: what is more is a finding and not judged. */
#define TEMPLATES_MAX 4096u
#define TEMPLATES_BYTES_MAX ((size_t)2 << 20)

struct templates_seen {
	unsigned n;
	size_t bytes;
};

/* Is there room for one more?  One that is too long to be read takes none. */
static inline bool templates_take(struct templates_seen *s, size_t bytes)
{
	bytes = bytes <= TEMPLATE_BYTES_MAX ? bytes : 0;
	if (s->n == TEMPLATES_MAX || bytes > TEMPLATES_BYTES_MAX - s->bytes)
		return false;
	s->n++;
	s->bytes += bytes;
	return true;
}

enum template_family {
	TEMPLATE_GGUF,  /* gguf-template-*: in a GGUF file's metadata */
	TEMPLATE_PLAIN, /* template-*: in a file of its own, or in a tokenizer's configuration */
	N_TEMPLATE_FAMILIES
};

/* Takes one finding; a reader hands it to layout_finding(). */
typedef void (*template_finding_fn)(void *ctx, const struct finding *f);

struct template_options {
	enum template_family family;
	struct bytes subject; /* of every finding: the key it stands under, or empty; borrowed */
	uint64_t origin;      /* offset of the text's first byte, counted as the reader counts */
	bool decoded;         /* the text is what escapes decode to: all findings point at origin */
	struct siphash_key seed;
	struct arena *arena; /* scratch, given back: at most TEMPLATE_MEMORY */
	template_finding_fn finding;
	void *ctx;
};

/* Whatever the text holds: more names or uses of them than fit are a finding. */
#define TEMPLATE_MEMORY ((size_t)12 << 20)

/**
 * template_check() - every rule over one template
 * @text: its source, UTF-8 (what is not counts as hidden text).  Longer than TEMPLATE_BYTES_MAX: only that is reported,
 * and .at may be NULL.
 * Linear time; never blocks.
 * Return: WLK_DONE, with findings or without; WLK_BROKEN when it is too long or nested too deeply to be understood (there
 * is a finding); WLK_INCOMPLETE when the arena is spent (its cause is not
 * reported: layout_stop()).
 */
enum wlk_status template_check(struct bytes text, const struct template_options *o);
