/* Compressed files: see wrapper.h. */
#include "wrapper.h"

#include "checked.h"
#include "nested.h"
#include "pickle_file.h"
#include "text_member.h"
#include "hex.h"

/* -- which coding -- */

static bool begins_with(const struct probe *p, const char *magic, size_t n)
{
	return p->n >= n && memcmp(p->head, magic, n) == 0;
}

static bool probe_gzip(const struct probe *p)
{
	return begins_with(p, "\x1f\x8b\x08", 3);
}

/* Two bytes are little: the check bits have to be right, and the body has to begin as deflate does.  Text may begin
 * with an x: the second byte is one of the four that are written. */
static bool probe_zlib(const struct probe *p)
{
	static const char *const heads[] = { "\x78\x01", "\x78\x5e", "\x78\x9c", "\x78\xda" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (begins_with(p, heads[i], 2))
			return p->n > 2 && (p->head[2] & 6) != 6; /* block type 3 does not exist */
	return false;
}

static bool probe_bzip2(const struct probe *p)
{
	return begins_with(p, "BZh", 3) && p->n >= 10 && p->head[3] >= '1' && p->head[3] <= '9' &&
	       (memcmp(p->head + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
		   memcmp(p->head + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0); /* a block, or the end of an empty one */
}

static bool probe_xz(const struct probe *p)
{
	return begins_with(p, "\xfd\x37zXZ\0", 6);
}

#define LZMA_DICTIONARY_MAX (UINT32_C(64) << 20) /* xz -9 */

/* 2^n or 2^n + 2^(n-1): what writers use, and file(1) knows them by. */
static bool is_dictionary(uint32_t n)
{
	uint32_t lowest = n & -n, rest = n - lowest;

	return n >= 4096 && n <= LZMA_DICTIONARY_MAX && (rest == 0 || rest == 2 * lowest);
}

/* No magic but what every writer's settings spell: lc 3, lp 0, pb 2, a dictionary, then a size or -1. */
static bool probe_lzma(const struct probe *p)
{
	uint64_t size;

	if (!begins_with(p, "\x5d\0\0", 3) || p->n < 13 || !is_dictionary(load_u32le(p->head + 1)))
		return false;
	size = load_u64le(p->head + 5);
	return size == UINT64_MAX || size < UINT64_C(1) << 48;
}

static bool probe_lz4(const struct probe *p)
{
	return begins_with(p, "\x04\x22\x4d\x18", 4);
}

/* A frame, or one that is skipped in front of it. */
static bool is_skippable(const uint8_t *at)
{
	return (at[0] & 0xf0) == 0x50 && memcmp(at + 1, "\x2a\x4d\x18", 3) == 0;
}

static bool probe_zstd(const struct probe *p)
{
	return begins_with(p, "\x28\xb5\x2f\xfd", 4) || (p->n >= 4 && is_skippable(p->head));
}

static enum codec codec_of(enum wlk_format_id id)
{
	switch (id) {
	case WLK_FORMAT_GZIP: return CODEC_GZIP;
	case WLK_FORMAT_BZIP2: return CODEC_BZIP2;
	case WLK_FORMAT_XZ: return CODEC_XZ;
	case WLK_FORMAT_LZMA: return CODEC_LZMA_ALONE;
	case WLK_FORMAT_LZ4: return CODEC_LZ4;
	case WLK_FORMAT_ZSTD: return CODEC_ZSTD;
	default: return CODEC_ZLIB;
	}
}

/* -- how the coding ended -- */

static enum wlk_finding code_of_end(enum stream_end end, enum codec codec)
{
	switch (end) {
	case STREAM_BOMB: return WLK_F_WRAPPER_BOMB;
	case STREAM_TRUNCATED: return WLK_F_WRAPPER_TRUNCATED;
	case STREAM_TRAILING: return WLK_F_WRAPPER_TRAILING_BYTES;
	case STREAM_MULTIPLE: return codec == CODEC_ZSTD ? WLK_F_ZSTD_MULTI_FRAME : WLK_F_GZ_MULTI_MEMBER;
	default: return WLK_F_WRAPPER_CRC;
	}
}

/* @end, @state: of the whole coding. */
static void report_end_of(
    struct layout *l, const struct member *m, enum stream_end end, const struct stream_state *state)
{
	uint64_t at = end == STREAM_TRAILING || end == STREAM_MULTIPLE ? state->coding_end : state->coded;

	if (end == STREAM_WHOLE && m->stream.size != STREAM_SIZE_UNKNOWN && state->decoded != m->stream.size)
		end = STREAM_CHECKSUM; /* the length is wrong */
	if (end != STREAM_WHOLE)
		layout_value(l, code_of_end(end, m->stream.codec),
		    part_offset(&m->stream.part, at) - part_offset(&l->part, 0), state->decoded, m->stream.size);
}

static uint64_t take_all(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)ctx;
	(void)at;
	return offset + n;
}

/* Content that nobody understands is not passed: its coding is looked at here. */
static enum wlk_status judge_coding(struct layout *l, const struct member *m)
{
	struct stream_state state;
	enum stream_end end = stream_preview(&m->stream, l->arena, (struct feeder){ .feed = take_all }, &state);

	if (end == STREAM_FAILED)
		return layout_stop(l);
	report_end_of(l, m, end, &state);
	return WLK_DONE;
}

/* -- what is inside -- */

/* gzip, gzip!gzip, ...: what the content is called in findings, whose offsets are those of decoded bytes. */
static bool name_content(struct layout *l, struct member *m)
{
	struct bytes outer = l->part.member, own = bytes_of_text(codec_name(m->stream.codec));
	size_t n = outer.n > 0 ? outer.n + 1 + own.n : own.n;
	uint8_t *name = arena_alloc(l->arena, n, 1);

	if (name == NULL)
		return false;
	if (outer.n > 0) {
		bytes_copy(name, outer);
		name[outer.n] = '!';
	}
	bytes_copy(name + (n - own.n), own);
	m->stream.part.member = bytes_of(name, n);
	return true;
}

static bool is_pickle(enum wlk_format_id id)
{
	return id == WLK_FORMAT_PICKLE || id == WLK_FORMAT_JOBLIB;
}

static void report_content(struct layout *l, const struct member *m, enum wlk_finding code)
{
	report_finding(l->report, &(struct finding){ .code = code,
				      .has_offset = true,
				      .offset = stream_origin(&m->stream),
				      .member = m->stream.part.member });
}

static enum wlk_status judge_content(struct layout *l, struct member *m)
{
	enum wlk_format_id id;
	enum wlk_status status = nested_judge(l, m, &id);

	if (status != WLK_DONE)
		return status;
	if (id == WLK_FORMAT_UNKNOWN && !text_member_judge(l, m))
		return layout_stop(l);
	if (id == WLK_FORMAT_UNKNOWN)
		report_content(l, m, m->understood ? WLK_F_FORMAT_SIDE_FILE : WLK_F_FORMAT_UNKNOWN);
	else if (!nested_is_judged(id))
		report_content(l, m, WLK_F_FORMAT_PARTLY_CHECKED);
	if (is_pickle(id))
		l->id = WLK_FORMAT_JOBLIB;
	else if (id == WLK_FORMAT_NEMO || id == WLK_FORMAT_MAR)
		l->id = id;
	if (m->understood)
		return WLK_DONE;
	status = judge_coding(l, m);
	return status == WLK_DONE ? WLK_BROKEN : status;
}

/* What the codec takes, and a copy for readers at random (which grows by doubling). */
static void allow_memory(struct layout *l, enum codec codec)
{
	bool large = codec == CODEC_XZ || codec == CODEC_LZMA_ALONE || codec == CODEC_ZSTD;

	layout_raise_memory(l, (large ? STREAM_MEMORY_MAX : 0) + 2 * STREAM_COPY_MAX);
}

/* The coding is all that follows @begin.  @size: decoded bytes as declared. */
static enum wlk_status read_coding(struct layout *l, enum codec codec, uint64_t begin, uint64_t size)
{
	struct member *m = member_add(l->extents, begin, l->part.size);

	if (m == NULL)
		return layout_stop(l);
	m->stream = (struct stream){ .part = part_range(&l->part, begin, l->part.size - begin),
		.codec = codec,
		.size = size,
		.size_limit = l->lim->unpacked_bytes };
	if (!name_content(l, m))
		return layout_stop(l);
	l->state = m;
	allow_memory(l, codec);
	return judge_content(l, m);
}

static enum wlk_status layout(struct layout *l)
{
	return read_coding(l, codec_of(l->id), 0, STREAM_SIZE_UNKNOWN);
}

/* What is skipped in front of the data is not gone into: nobody else would look there either. */
static enum wlk_status layout_zstd(struct layout *l)
{
	const uint8_t *head = l->part.size >= 4 ? part_pin(&l->part, 0, 4) : NULL;

	if (l->src->err != SOURCE_OK)
		return layout_stop(l);
	if (head == NULL || !is_skippable(head))
		return layout(l);
	layout_at(l, WLK_F_ZSTD_SKIPPABLE, 0);
	return WLK_BROKEN;
}

static enum wlk_status finish(struct layout *l)
{
	const struct member *m = l->state;

	if (m != NULL && m->passed)
		report_end_of(l, m, m->end, &m->state);
	return WLK_DONE;
}

/* -- joblib's ZF -- */

#define ZF_HEADER 21u /* "ZF", and 19 characters: 0x and digits, blanks behind */

static bool probe_zf(const struct probe *p)
{
	return begins_with(p, "ZF0x", 4) && p->n > ZF_HEADER;
}

/* Hexadecimal digits up to the blanks that fill the field. */
static bool read_zf_size(const uint8_t *header, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 4;

	for (; i < ZF_HEADER && header[i] != ' '; i++) {
		int digit = hex_digit(header[i]);

		if (digit < 0 || !mul_u64(n, 16, &n) || !add_u64(n, (unsigned)digit, &n))
			return false;
	}
	*ret = n;
	for (size_t j = i; j < ZF_HEADER; j++)
		if (header[j] != ' ')
			return false;
	return i > 4;
}

static bool add_header(struct layout *l, uint64_t n)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return false;
	e->end = n;
	e->kind = EXTENT_HEADER;
	return true;
}

/* A file that is only named .joblib is an ordinary pickle, if it is anything. */
static enum wlk_status layout_zf(struct layout *l)
{
	const uint8_t *header = NULL;
	uint64_t size, begin = ZF_HEADER;

	if (l->part.size > ZF_HEADER + 1) {
		header = part_pin(&l->part, 0, ZF_HEADER + 1);
		if (header == NULL)
			return layout_stop(l);
	}
	if (header == NULL || memcmp(header, "ZF0x", 4) != 0)
		return format_pickle.layout(l);
	if (!read_zf_size(header, &size)) {
		layout_at(l, WLK_F_WRAPPER_CRC, 2);
		return WLK_BROKEN;
	}
	if (header[ZF_HEADER] == ' ') /* written by Python 2 */
		begin++;
	if (!add_header(l, begin))
		return layout_stop(l);
	return read_coding(l, CODEC_ZLIB, begin, size);
}

#define WRAPPER .converts = CONVERTS_CONTENT, .finish = finish, .nested = NESTED_RANDOM, .too_deep = WLK_F_WRAPPER_DEPTH

const struct wlk_format format_gzip = { .id = WLK_FORMAT_GZIP, .probe = probe_gzip, .layout = layout, WRAPPER };
const struct wlk_format format_zlib = { .id = WLK_FORMAT_ZLIB, .probe = probe_zlib, .layout = layout, WRAPPER };
const struct wlk_format format_bzip2 = { .id = WLK_FORMAT_BZIP2, .probe = probe_bzip2, .layout = layout, WRAPPER };
const struct wlk_format format_xz = { .id = WLK_FORMAT_XZ, .probe = probe_xz, .layout = layout, WRAPPER };
const struct wlk_format format_lzma = { .id = WLK_FORMAT_LZMA, .probe = probe_lzma, .layout = layout, WRAPPER };
const struct wlk_format format_lz4 = { .id = WLK_FORMAT_LZ4, .probe = probe_lz4, .layout = layout, WRAPPER };
const struct wlk_format format_zstd = { .id = WLK_FORMAT_ZSTD, .probe = probe_zstd, .layout = layout_zstd, WRAPPER };
const struct wlk_format format_joblib = { .id = WLK_FORMAT_JOBLIB, .probe = probe_zf, .layout = layout_zf, WRAPPER };
