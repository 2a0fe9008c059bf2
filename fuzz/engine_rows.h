/* The manifest of any bytes: asking for it changes nothing else, what it lists lies in the file, and a digest is that of
 * the bytes that the row says. */
#pragma once

#include <string.h>

#include <openssl/evp.h>

#include "fuzz.h"
#include "memory_rows.h"

/* Offsets of members may count what they decode to: only those of the file itself can be looked up. */
static inline void engine_check_row(const struct memory_row *row, const struct memory_file *file)
{
	uint64_t begin = row->row.begin, end = row->row.end;
	uint8_t digest[32];

	FUZZ_REQUIRE(row->n_digests <= 1);
	if (row->row.kind != MANIFEST_TENSOR || row->row.member.n > 0)
		return;
	FUZZ_REQUIRE(begin <= end && end <= file->n);
	if (row->n_digests == 0)
		return;
	FUZZ_REQUIRE(EVP_Digest(file->at + begin, (size_t)(end - begin), digest, NULL, EVP_sha256(), NULL) == 1);
	FUZZ_REQUIRE(memcmp(digest, row->sha256, sizeof(digest)) == 0);
}

/* A complete list has a row and a digest for each tensor. */
static inline void engine_check_list(const struct facts *f, const struct memory_rows *rows)
{
	const struct fact *listed = memory_fact(f, WLK_FACT_TENSORS_LISTED);
	uint64_t tensors = 0;

	FUZZ_REQUIRE(listed != NULL && rows->n_strays == 0);
	if (listed->value.number == 0)
		return;
	FUZZ_REQUIRE(f->final.complete);
	for (size_t i = 0; i < rows->n; i++) {
		if (rows->list[i].row.kind != MANIFEST_TENSOR)
			continue;
		tensors++;
		FUZZ_REQUIRE(rows->list[i].n_digests == 1);
	}
	FUZZ_REQUIRE(tensors == f->final.totals.tensors);
}

static inline void engine_check_rows(const struct memory_file *file, const struct job *job)
{
	struct facts *plain = memory_scan_job(file->at, file->n, job), *f;
	struct memory_rows rows;

	f = memory_scan_rows(file->at, file->n, job, &rows);
	FUZZ_REQUIRE(f->final.cause != WLK_CAUSE_WORKER_PROTOCOL);
	if (f->final.cause != WLK_CAUSE_LIMIT_MEMORY && f->final.cause != WLK_CAUSE_LIMIT_OUTPUT) {
		FUZZ_REQUIRE(f->final.cause == plain->final.cause && f->final.complete == plain->final.complete);
		FUZZ_REQUIRE(memcmp(f->per_code, plain->per_code, sizeof(f->per_code)) == 0);
		FUZZ_REQUIRE(memcmp(&f->final.totals, &plain->final.totals, sizeof(f->final.totals)) == 0);
	}
	for (size_t i = 0; i < rows.n; i++)
		engine_check_row(&rows.list[i], file);
	engine_check_list(f, &rows);
	memory_rows_free(&rows);
	facts_free(f);
	facts_free(plain);
}
