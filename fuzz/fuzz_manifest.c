/* What is known of other files, on its way into a jail: rows of the manifest and set documents, as a worker that was
 * taken over could have caused them to be.  There is one encoding of everything: what is read is written again as the
 * same bytes. */
#include <string.h>

#include "fuzz.h"
#include "manifest.h"
#include "set_document.h"

static void check_row(struct bytes encoded)
{
	struct manifest_row row;
	uint8_t again[MANIFEST_ROW_MAX];

	if (!manifest_decode(encoded, &row))
		return;
	FUZZ_REQUIRE(row.name.n <= MANIFEST_NAME_MAX && row.name.n <= row.name_bytes && row.begin <= row.end);
	FUZZ_REQUIRE(row.dtype.n <= MANIFEST_DTYPE_MAX && row.rank <= MANIFEST_RANK_MAX);
	FUZZ_REQUIRE(row.member.n <= MANIFEST_PATH_MAX && row.file.n <= MANIFEST_PATH_MAX);
	FUZZ_REQUIRE(manifest_encode(&row, again) == encoded.n && memcmp(again, encoded.at, encoded.n) == 0);
}

/* The bytes of the document, to be read or to be compared with what is written. */
struct document {
	const uint8_t *at;
	size_t n, written;
};

static int64_t read_piece(void *ctx, uint64_t offset, void *buf, size_t n)
{
	const struct document *d = ctx;

	if (offset >= d->n)
		return 0;
	n = n < d->n - offset ? n : d->n - (size_t)offset;
	memcpy(buf, d->at + offset, n);
	return (int64_t)n;
}

static bool compare_piece(void *ctx, const void *at, size_t n)
{
	struct document *d = ctx;

	FUZZ_REQUIRE(n <= d->n - d->written);
	FUZZ_REQUIRE(n == 0 || memcmp(d->at + d->written, at, n) == 0);
	d->written += n;
	return true;
}

static void check_document(const struct document *d, const struct set_member *members, size_t n)
{
	struct document again = { .at = d->at, .n = d->n };
	uint64_t at;

	FUZZ_REQUIRE(n <= SET_MEMBERS_MAX);
	FUZZ_REQUIRE(set_document_write_head(members, n, compare_piece, &again));
	at = again.written;
	for (size_t i = 0; i < n; i++) {
		FUZZ_REQUIRE(members[i].name.n > 0 && members[i].name.n <= SET_NAME_MAX);
		FUZZ_REQUIRE(members[i].rows_at == at && members[i].rows_bytes <= d->n - at);
		at += members[i].rows_bytes;
	}
	FUZZ_REQUIRE(at == d->n);
}

#define MEMORY ((size_t)16 << 20)

int fuzz_one(const uint8_t *data, size_t n)
{
	struct document d = { .at = data, .n = n };
	struct set_member *members;
	struct source src;
	struct arena arena;
	size_t n_members;

	check_row(bytes_of(data, n));
	arena_init(&arena, MEMORY);
	source_init(&src, read_piece, &d, n, SOURCE_IMMUTABLE, &arena, n);
	if (set_document_read_head(&src, &arena, &members, &n_members))
		check_document(&d, members, n_members);
	source_done(&src);
	arena_done(&arena);
	return 0;
}
