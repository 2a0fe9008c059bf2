/* A file built in memory, judged by the rules for polyglots through the real source, pass and report. */
#pragma once

#include <check.h>
#include <string.h>

#include "bytes.h"
#include "polyglot.h"
#include "told.h"

#define FILE_MAX ((size_t)10 * 1024 * 1024)

/* The file under test: zeros to begin with. */
static uint8_t file[FILE_MAX];
static size_t file_n;
static bool file_changes; /* after the pass, every byte differs */
static bool passed;
static size_t file_cut;                    /* where a piece of the pass ends, and one of a byte begins; 0: nowhere */
static const struct extents *file_members; /* of the host; may be NULL */
static enum wlk_format_id file_host = WLK_FORMAT_SAFETENSORS;

static inline void file_new(size_t n)
{
	ck_assert_uint_le(n, FILE_MAX);
	memset(file, 0, sizeof(file));
	file_n = n;
	file_changes = false;
}

static inline void put(size_t at, const void *data, size_t n)
{
	ck_assert_uint_le(at + n, file_n);
	memcpy(file + at, data, n);
}

static inline void put_text(size_t at, const char *text)
{
	put(at, text, strlen(text));
}

static inline int64_t file_read(void *ctx, uint64_t offset, void *buf, size_t n)
{
	size_t left = offset < file_n ? file_n - (size_t)offset : 0;

	(void)ctx;
	n = n < left ? n : left;
	memcpy(buf, file + offset, n);
	for (size_t i = 0; passed && file_changes && i < n; i++)
		((uint8_t *)buf)[i] ^= 1;
	return (int64_t)n;
}

struct judged {
	struct told told;
	enum wlk_status status;
};

static inline void judge_as(struct judged *j, enum wlk_format_id host, enum source_kind kind)
{
	static struct pass pass; /* large */
	struct arena arena;
	struct source src;
	struct polyglot pg;
	uint8_t digest[32];

	passed = false;
	told_init(&j->told);
	arena_init(&arena, 48 << 20);
	source_init(&src, file_read, NULL, file_n, kind, &arena, 1 << 20);
	if (file_cut > 0 && file_cut < file_n) /* a pin: the pass goes by in other pieces */
		ck_assert_ptr_nonnull(source_pin(&src, file_cut, 1));
	pass_init(&pass, &src, &j->told.report);
	ck_assert_int_eq(polyglot_plan(&pg, &pass, host, file_members, (struct siphash_key){ 1, 2 }), WLK_DONE);
	ck_assert_int_eq(pass_run(&pass, digest), WLK_DONE);
	passed = true;
	j->status = polyglot_judge(&pg, &src, &j->told.report);
	source_done(&src);
	arena_done(&arena);
	told_end(&j->told, file_n);
}

/* The only finding there may be.  Return: its offset, or UINT64_MAX for none. */
static inline uint64_t found_at(enum wlk_finding code)
{
	uint64_t at = UINT64_MAX;
	struct judged j;

	judge_as(&j, file_host, SOURCE_IMMUTABLE);
	ck_assert_int_eq(j.status, WLK_DONE);
	for (size_t i = 0; i < j.told.facts->n_findings; i++)
		ck_assert_str_eq(finding_info(j.told.facts->findings[i].code)->code, finding_info(code)->code);
	ck_assert_uint_le(j.told.facts->n_findings, 1);
	if (j.told.facts->n_findings == 1)
		at = j.told.facts->findings[0].offset;
	told_done(&j.told);
	return at;
}

#define ck_assert_found(code, at) ck_assert_uint_eq(found_at(code), at)
#define ck_assert_clean(code) ck_assert_uint_eq(found_at(code), UINT64_MAX)

/* A byte beside the right one: the rule must not match any more.  The byte is restored. */
static inline void ck_assert_clean_with_byte_changed(enum wlk_finding code, size_t at)
{
	file[at] ^= 1;
	ck_assert_clean(code);
	file[at] ^= 1;
}
