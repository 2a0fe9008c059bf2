/* Any bytes as a file, through the whole engine: the report decodes, points inside the file, is the same for the same
 * bytes, and a complete scan carries the digest of exactly these bytes. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "engine_rows.h"
#include "facts.h"
#include "fuzz.h"
#include "memory_scan.h"
#include "part.h"
#include "scan.h"

/* What the file's name suggests beside @hint; a target may set it. */
static enum config_family engine_family;

static inline struct memory_report engine_scan(
    const struct memory_file *file, enum source_kind kind, enum wlk_format_id hint, bool asked)
{
	struct wlk_input in = { .read = memory_read, .ctx = (void *)(uintptr_t)file, .seed = { .k0 = 7, .k1 = 11 } };
	struct job job = { .size = file->n,
		.kind = kind,
		.hint = hint,
		.family = engine_family,
		.limits = LIMITS_DEFAULT,
		.calls = asked,
		.views = asked };
	static struct report report;
	struct memory_report out = { 0 };

	report_init(&report, memory_write, NULL, &out);
	wlk_scan(&in, &job, &report);
	return out;
}

/* Offsets in what a member decodes to may be more than the file has. */
static inline void engine_check_offsets(const struct facts *f, uint64_t size)
{
	for (size_t i = 0; i < f->n_findings; i++) {
		const struct finding *finding = &f->findings[i];

		if (!finding->has_offset || offset_is_decoded(finding->offset))
			continue;
		FUZZ_REQUIRE(finding->offset <= size);
		FUZZ_REQUIRE(!finding->has_length || finding->length <= size - finding->offset);
	}
}

static inline void engine_check_digest(const struct facts *f, const struct memory_file *file)
{
	uint8_t digest[32];

	if (!f->final.complete)
		return;
	FUZZ_REQUIRE(f->final.has_digest);
	FUZZ_REQUIRE(EVP_Digest(file->at, file->n, digest, NULL, EVP_sha256(), NULL) == 1);
	FUZZ_REQUIRE(memcmp(digest, f->final.sha256, sizeof(digest)) == 0);
}

/* Return: why the scan was stopped. */
static inline enum wlk_cause engine_check_report(const struct memory_report *out, const struct memory_file *file)
{
	struct facts_expect expect = { .size = file->n };
	struct facts *f = facts_new();
	enum wlk_cause cause;

	FUZZ_REQUIRE(f != NULL);
	FUZZ_REQUIRE(facts_feed(f, out->at, out->n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL);
	engine_check_offsets(f, file->n);
	engine_check_digest(f, file);
	cause = f->final.cause;
	facts_free(f);
	return cause;
}

/* Whoever asks what would be called, and to be shown the file, is told all that others are told. */
static inline void engine_check_asked(
    const struct memory_report *plain, const struct memory_file *file, enum wlk_format_id hint)
{
	struct memory_report out = engine_scan(file, SOURCE_IMMUTABLE, hint, true);
	struct facts_expect expect = { .size = file->n };
	struct facts *f = facts_new(), *g = facts_new();

	FUZZ_REQUIRE(f != NULL && g != NULL);
	facts_want_calls(f);
	facts_want_views(f);
	FUZZ_REQUIRE(facts_feed(f, out.at, out.n) && facts_feed(g, plain->at, plain->n));
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	facts_finish(g, WLK_CAUSE_NONE, &expect);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL);
	if (f->final.cause != WLK_CAUSE_LIMIT_MEMORY && g->final.cause != WLK_CAUSE_LIMIT_MEMORY)
		FUZZ_REQUIRE(f->final.cause == g->final.cause && f->final.complete == g->final.complete &&
			     memcmp(f->per_code, g->per_code, sizeof(f->per_code)) == 0);
	facts_free(f);
	facts_free(g);
	free(out.at);
}

/* The whole of a target. */
static inline int engine_fuzz(const uint8_t *data, size_t n, enum wlk_format_id hint)
{
	uint8_t *copy = malloc(n > 0 ? n : 1); /* exactly this size, so that one byte too many is seen */
	struct memory_file file = { .at = copy, .n = n };
	struct memory_report first, second;

	FUZZ_REQUIRE(copy != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	first = engine_scan(&file, SOURCE_IMMUTABLE, hint, false);
	second = engine_scan(&file, SOURCE_MUTABLE, hint, false);
	/* What a file that may change costs besides is part of the memory that was spent. */
	if (engine_check_report(&first, &file) != WLK_CAUSE_LIMIT_MEMORY)
		FUZZ_REQUIRE(first.n == second.n && memcmp(first.at, second.at, first.n) == 0);
	engine_check_asked(&first, &file, hint);
	engine_check_rows(&file,
	    &(struct job){
		.size = n, .kind = SOURCE_IMMUTABLE, .hint = hint, .family = engine_family, .limits = LIMITS_DEFAULT });
	free(first.at);
	free(second.at);
	free(copy);
	return 0;
}
