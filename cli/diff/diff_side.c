/* See diff_side.h.  A tensor in the memfd is: u32 bytes of its row, u32 file, u8 has a digest, the digest, u8 has statistics, they, the row as
 * manifest_encode() writes it. */
#include "diff_side.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "cleanup.h"
#include "cli.h"
#include "formats.h"
#include "memory_file.h"

#define STATS_AT (4u + 4u + 1u + 32u)
#define RECORD_FIXED (STATS_AT + 1u + TENSOR_STATS_BYTES)
#define RECORD_MAX (RECORD_FIXED + MANIFEST_ROW_MAX)
#define BLOCK_BYTES ((size_t)256 << 10)

int side_init(struct side *s, const char *path, const struct siphash_key *key)
{
	*s = (struct side){ .path = path, .key = *key, .fd = memory_file_new("weighlock-diff"), .files = json_array() };
	s->block = malloc(BLOCK_BYTES);
	if (s->fd < 0)
		return s->fd;
	return s->block == NULL || s->files == NULL ? -ENOMEM : 0;
}

void side_done(struct side *s)
{
	closep(&s->fd);
	free(s->block);
	free(s->items);
	json_decref(s->files);
	*s = (struct side){ .fd = -1 };
}

/* ---- files ---- */

/* May a file that lists no tensors be passed over?  Not if it is of a format that holds models, nor if its name promises
 * one: then there may be tensors that nobody saw. */
static bool is_without_tensors(const struct task *t)
{
	enum wlk_format_id format = t->facts->final.format;

	if (t->value == VERDICT_ERROR)
		return false;
	if (format == WLK_FORMAT_UNKNOWN)
		return t->input.member_at > 0 && !format_info(format_hint(t->input.name))->model;
	return !format_info(format)->model;
}

json_t *side_note(const struct task *t)
{
	const json_t *file = json_object_get(t->verdict, "file");
	const char *trouble = t->input.trouble;

	return json_pack("{s:O, s:O, s:O?, s:O?, s:b, s:s*, s:b}", "name", json_object_get(file, "name"), "verdict",
	    json_object_get(t->verdict, "verdict"), "sha256", json_object_get(file, "sha256"), "format",
	    json_object_get(t->verdict, "format"), "listed", t->listed, "trouble", trouble, "plain",
	    is_without_tensors(t));
}

/* ---- rows ---- */

static int flush(struct side *s)
{
	size_t n = s->block_n;
	int r = memory_file_write(s->fd, s->block, n, s->bytes);

	s->block_n = 0;
	s->bytes += n;
	return r;
}

static bool room_for_one(struct side *s)
{
	size_t room = s->room == 0 ? 1024 : s->room * 2;
	struct side_item *bigger;

	if (s->n < s->room)
		return true;
	bigger = reallocarray(s->items, room, sizeof(*bigger));
	if (bigger == NULL)
		return false;
	s->items = bigger;
	s->room = room;
	return true;
}

static int keep(struct side *s, uint32_t file, const struct tensor_rows_item *item)
{
	uint8_t *at;
	size_t n;
	int r = 0;

	if (s->n == DIFF_TENSORS_MAX)
		return -E2BIG;
	if (BLOCK_BYTES - s->block_n < RECORD_MAX)
		r = flush(s);
	if (r < 0)
		return r;
	if (!room_for_one(s))
		return -ENOMEM;
	at = s->block + s->block_n;
	n = manifest_encode(&item->row, at + RECORD_FIXED);
	store_u32le(at, (uint32_t)n);
	store_u32le(at + 4, file);
	at[8] = item->has_sha256;
	memcpy(at + 9, item->sha256, 32);
	at[STATS_AT] = item->has_stats;
	tensor_stats_encode(&item->stats, at + STATS_AT + 1);
	s->items[s->n++] = (struct side_item){ .hash = siphash13(item->row.name.at, item->row.name.n, &s->key),
		.at = (s->bytes + s->block_n) & SIDE_AT_MAX };
	s->block_n += RECORD_FIXED + n;
	return 0;
}

static int keep_all(struct side *s, uint32_t file, const struct tensor_rows *rows)
{
	struct tensor_rows_reader *reader = tensor_rows_reader_new(rows);
	struct tensor_rows_item item;
	int r = reader != NULL ? 0 : -ENOMEM;

	while (r == 0 && (r = tensor_rows_next(reader, &item)) > 0)
		r = item.row.kind == MANIFEST_TENSOR ? keep(s, file, &item) : 0;
	tensor_rows_reader_free(reader);
	return r;
}

/* What is rejected and lists nothing - a pickle that runs code - may be anything once it is loaded. */
static bool hides_tensors(const struct task *t, uint64_t n)
{
	return n == 0 && t->value == VERDICT_REJECT;
}

int side_add(struct side *s, const struct slot *slot)
{
	const struct task *t = &slot->task;
	uint64_t n = tensor_rows_count(t->rows) - tensor_rows_mappings(t->rows);
	json_t *note = slot->note;

	if (n == 0 && json_is_true(json_object_get(note, "plain"))) {
		s->n_others++;
		return 0;
	}
	(void)json_object_del(note, "plain");
	(void)json_object_set_new(note, "tensors", json_integer((json_int_t)n));
	if (json_array_append(s->files, note) < 0)
		return -ENOMEM;
	s->worst = t->value > s->worst ? t->value : s->worst;
	s->incomplete = s->incomplete || !t->listed || hides_tensors(t, n);
	return keep_all(s, (uint32_t)json_array_size(s->files) - 1, t->rows);
}

int side_end(struct side *s)
{
	return flush(s);
}

int side_read(const struct side *s, uint64_t at, struct side_tensor *ret)
{
	uint8_t fixed[RECORD_FIXED];
	int r = memory_file_read(s->fd, fixed, sizeof(fixed), at);
	uint32_t n;

	if (r < 0)
		return r;
	n = load_u32le(fixed);
	if (n > sizeof(ret->buf))
		return -EBADMSG;
	ret->file = load_u32le(fixed + 4);
	ret->has_sha256 = fixed[8] != 0;
	memcpy(ret->sha256, fixed + 9, 32);
	ret->has_stats = fixed[STATS_AT] != 0 && tensor_stats_decode(fixed + STATS_AT + 1, &ret->stats);
	r = memory_file_read(s->fd, ret->buf, n, at + RECORD_FIXED);
	if (r == 0 && !manifest_decode(bytes_of(ret->buf, n), &ret->row))
		r = -EBADMSG;
	return r;
}
