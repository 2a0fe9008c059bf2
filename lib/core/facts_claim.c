/* What is claimed of a file, held to what a whole scan of its digest knows: see facts_claim(). */
#include <string.h>

#include "facts_impl.h"

/* ---- records ---- */

bool facts_take_pass(struct facts *f, struct cursor *c)
{
	struct bytes digest;

	if (f->has_pass || !cur_bytes(c, sizeof(f->pass), &digest))
		return false;
	memcpy(f->pass, digest.at, sizeof(f->pass));
	f->has_pass = true;
	f->findings_at_pass = f->n_findings;
	f->facts_at_pass = f->n_facts;
	return true;
}

bool facts_take_block(struct facts *f, struct cursor *c)
{
	struct partial_block *list, got;
	struct bytes digest;

	if (f->n_blocks == PARTIAL_BLOCKS_MAX || !cur_u64le(c, &got.index) || !cur_bytes(c, SHA256_BYTES, &digest) ||
	    got.index > INT64_MAX / PARTIAL_BLOCK || (f->n_blocks > 0 && got.index <= f->blocks[f->n_blocks - 1].index))
		return false;
	memcpy(got.sha256, digest.at, sizeof(got.sha256));
	list = facts_grow(f->decoder, f->blocks, f->n_blocks, &f->decoder->capacity[5], sizeof(*list));
	if (list == NULL)
		return false;
	f->blocks = list;
	f->blocks[f->n_blocks++] = got;
	facts_saw(f->decoder, got.index * PARTIAL_BLOCK);
	return true;
}

bool facts_take_wanted(struct facts *f, struct cursor *c)
{
	struct partial_range *list, got;

	if (f->n_wanted == PARTIAL_RANGES_MAX || !cur_u64le(c, &got.begin) || !cur_u64le(c, &got.end) ||
	    got.begin >= got.end || got.end > INT64_MAX ||
	    (f->n_wanted > 0 && got.begin <= f->wanted[f->n_wanted - 1].end))
		return false;
	list = facts_grow(f->decoder, f->wanted, f->n_wanted, &f->decoder->capacity[6], sizeof(*list));
	if (list == NULL)
		return false;
	f->wanted = list;
	f->wanted[f->n_wanted++] = got;
	facts_saw(f->decoder, got.end);
	return true;
}

/* Numbers of weights, and bytes that went by, are what it cannot know. */
bool facts_is_structure(const struct facts *f)
{
	const struct report_totals none = { 0 };

	return f->n_rows == 0 && f->n_blocks == 0 &&
	       (!f->has_final || (f->final.bytes == 0 && memcmp(&f->final.totals, &none, sizeof(none)) == 0));
}

/* ---- the base ---- */

/* A pass over these extents of these bytes found this; this engine's would again. */
static bool is_the_same(const struct facts *f, const struct facts *base)
{
	return f->final.cause == WLK_CAUSE_NONE && f->has_pass && base->has_pass && base->final.complete &&
	       base->final.cause == WLK_CAUSE_NONE && base->final.has_digest && base->weights == WEIGHTS_READ &&
	       base->final.size == f->final.size && base->final.format == f->final.format &&
	       memcmp(base->final.sha256, f->final.sha256, SHA256_BYTES) == 0 &&
	       memcmp(base->pass, f->pass, sizeof(f->pass)) == 0;
}

static bool add_finding(struct facts *f, const struct finding *got)
{
	struct finding *list =
	    facts_grow(f->decoder, f->findings, f->n_findings, &f->decoder->capacity[0], sizeof(*list));

	if (list == NULL)
		return false;
	f->findings = list;
	f->findings[f->n_findings++] = *got;
	return true;
}

/* @ret: the same text, in the facts' memory. */
static bool copy_value(struct facts *f, struct value v, struct value *ret)
{
	uint8_t *at;

	*ret = v;
	if (v.kind != VALUE_TEXT || v.text.n == 0)
		return true;
	at = arena_alloc(&f->decoder->arena, v.text.n, 1);
	if (at == NULL)
		return false;
	bytes_copy(at, v.text);
	ret->text.at = at;
	return true;
}

bool facts_add(struct facts *f, const struct finding *got)
{
	struct finding own = { .code = got->code };

	if (!copy_value(f, got->found, &own.found) || !copy_value(f, got->allowed, &own.allowed) ||
	    !add_finding(f, &own))
		return false;
	f->per_code[own.code]++;
	return true;
}

/* Those that were not listed may have been the pass's: all are taken for it. */
static bool take_findings(struct facts *f, const struct facts *base)
{
	uint64_t before[WLK_N_FINDINGS] = { 0 };

	for (size_t i = 0; i < base->findings_at_pass; i++)
		before[base->findings[i].code]++;
	for (size_t i = base->findings_at_pass; i < base->n_findings; i++)
		if (!add_finding(f, &base->findings[i]))
			return false;
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++)
		if (!add_u64(f->per_code[code], base->per_code[code] - before[code], &f->per_code[code]))
			f->per_code[code] = UINT64_MAX;
	return true;
}

static bool take_facts(struct facts *f, const struct facts *base)
{
	for (size_t i = base->facts_at_pass; i < base->n_facts; i++) {
		struct fact *list =
		    facts_grow(f->decoder, f->facts, f->n_facts, &f->decoder->capacity[2], sizeof(*list));

		if (list == NULL)
			return false;
		f->facts = list;
		f->facts[f->n_facts++] = base->facts[i];
	}
	return true;
}

static bool take_pass(struct facts *f, const struct facts *base)
{
	if (!take_findings(f, base) || !take_facts(f, base))
		return false;
	f->rows = base->rows;
	f->n_rows = base->n_rows;
	f->final.totals = base->final.totals;
	f->final.complete = true;
	f->weights = WEIGHTS_STORED;
	return true;
}

/* The worker cannot say it: bytes that differ from what was noted are to it a file that changes. */
static void blame_claim(struct facts *f)
{
	if (f->final.cause == WLK_CAUSE_INPUT_CHANGED)
		f->final.cause = WLK_CAUSE_DIGEST_MISMATCH;
}

bool facts_claim(struct facts *f, const struct facts *base)
{
	f->weights = WEIGHTS_NOT_READ;
	if (base != NULL)
		blame_claim(f);
	if (base != NULL && is_the_same(f, base))
		return take_pass(f, base);
	if (f->final.cause != WLK_CAUSE_NONE) /* why there is no more says that */
		return true;
	return facts_add(f, &(struct finding){ .code = WLK_F_WEIGHTS_NOT_READ });
}
