/* The parts of pictures: see image.h.  Follows PNG (third edition), section 5; JPEG (ITU T.81), annex B; GIF89a, sections 15
 * to 27; RIFF as WebP uses it.  Small parts are stepped over with a read each, so their number is bounded. */
#include "image.h"

#include "checked.h"
#include "cursor.h"
#include "script_words.h"

#define PARTS_MAX 65536u /* of one picture: animations have thousands */

bool image_is_read(enum wlk_format_id id)
{
	return id == WLK_FORMAT_PNG || id == WLK_FORMAT_JPEG || id == WLK_FORMAT_GIF || id == WLK_FORMAT_WEBP;
}

/* A picture is read once, from its beginning: what is looked for comes in this state. */
struct walk {
	uint64_t skip; /* bytes before the next that means something */
	uint8_t held[12];
	size_t held_n, wants; /* bytes of the part's head */
	uint32_t parts;
	uint64_t size;
	bool ended, broken; /* the picture's end was seen; it is not one */
	bool scan, marker;  /* JPEG: entropy-coded data goes by; 0xff was seen in it */
	bool blocks;        /* GIF: sub-blocks go by */
};

static void next_part(struct walk *w, uint64_t skip, size_t wants)
{
	w->skip = skip;
	w->held_n = 0;
	w->wants = wants;
	w->broken = w->broken || ++w->parts > PARTS_MAX;
}

/* Length, type, data, CRC. */
static void take_png(struct walk *w)
{
	uint32_t n = load_u32be(w->held);

	w->broken = n > INT32_MAX || (w->parts == 0 && memcmp(w->held + 4, "IHDR", 4) != 0);
	if (memcmp(w->held + 4, "IEND", 4) == 0) {
		w->broken = w->broken || n != 0;
		w->ended = true;
		next_part(w, (uint64_t)n + 4, 1);
	} else {
		next_part(w, (uint64_t)n + 4, 8);
	}
}

/* A marker and, of all but those that stand alone, a length that counts itself.  In coded data 0xff 0x00 is a byte. */
static void take_jpeg(struct walk *w)
{
	uint8_t marker = w->held[1];

	w->broken = w->held[0] != 0xff;
	if (marker == 0xd9) {
		w->ended = true;
		next_part(w, 0, 1);
	} else if (marker == 0xff) { /* fill */
		w->held_n = 1;
	} else if (w->held_n < 4 && marker != 0x01 && (marker < 0xd0 || marker > 0xd7)) {
		w->wants = 4;
	} else if (w->held_n < 4) {
		next_part(w, 0, 2);
	} else {
		uint32_t n = (uint32_t)w->held[2] << 8 | w->held[3];

		w->broken = w->broken || n < 2;
		w->scan = marker == 0xda;
		next_part(w, n < 2 ? 0 : n - 2, 2);
	}
}

/* Behind a scan's header: bytes up to a marker that is neither a stuffed byte nor a restart. */
static void take_scanned(struct walk *w, uint8_t c)
{
	if (w->marker && c != 0 && c != 0xff && (c < 0xd0 || c > 0xd7)) {
		w->scan = w->marker = false;
		w->held[0] = 0xff;
		w->held[1] = c;
		w->held_n = w->wants = 2;
		return;
	}
	w->marker = c == 0xff;
}

static size_t color_table(uint8_t flags)
{
	return (flags & 0x80) != 0 ? (size_t)3 << ((flags & 7) + 1) : 0;
}

/* An extension, an image, or the trailer; both of the former end in sub-blocks, each with its length in front. */
static void take_gif(struct walk *w)
{
	if (w->blocks) {
		w->blocks = w->held[0] != 0;
		next_part(w, w->held[0], 1);
		w->parts -= w->parts > 1; /* sub-blocks are short and cost nothing but their bytes */
	} else if (w->held[0] == 0x3b) {
		w->ended = true;
		next_part(w, 0, 1);
	} else if (w->held[0] == 0x21) {
		w->blocks = true;
		next_part(w, 1, 1);
	} else if (w->held[0] == 0x2c && w->held_n < 10) {
		w->wants = 10;
	} else if (w->held[0] == 0x2c) {
		w->blocks = true;
		next_part(w, color_table(w->held[9]) + 1, 1);
	} else {
		w->broken = true;
	}
}

/* Its length, and chunks that fill it. */
static void take_webp(struct walk *w)
{
	uint64_t n = load_u32le(w->held + 4);

	next_part(w, n + (n & 1), 8);
}

static void take(struct walk *w, enum wlk_format_id id)
{
	switch (id) {
	case WLK_FORMAT_PNG: take_png(w); break;
	case WLK_FORMAT_JPEG: take_jpeg(w); break;
	case WLK_FORMAT_GIF: take_gif(w); break;
	default: take_webp(w); break;
	}
}

struct feed {
	struct walk w;
	struct script_words words; /* in comments, and wherever else text fits */
	enum wlk_format_id id;
};

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct feed *f = ctx;
	struct walk *w = &f->w;
	size_t i = 0;

	script_words_feed(&f->words, at, n);
	while (i < n && !w->broken) {
		if (w->skip > 0) {
			size_t step = w->skip < n - i ? (size_t)w->skip : n - i;

			w->skip -= step;
			i += step;
			continue;
		}
		if (w->ended) {
			w->broken = true; /* bytes behind the end */
			break;
		}
		if (w->scan) {
			take_scanned(w, at[i++]);
		} else {
			w->held[w->held_n++] = at[i++];
		}
		if (!w->scan && w->held_n == w->wants)
			take(w, f->id);
	}
	return w->broken ? FEED_END : offset + n;
}

/* What stands in front of the first part. */
static bool begin(struct layout *l, struct walk *w)
{
	const uint8_t *head = l->part.size >= 16 ? part_pin(&l->part, 0, 16) : NULL;

	*w = (struct walk){ .size = l->part.size };
	if (head == NULL)
		return false;
	switch (l->id) {
	case WLK_FORMAT_PNG:
		w->skip = 8;
		w->wants = 8;
		return true;
	case WLK_FORMAT_JPEG:
		w->skip = 2;
		w->wants = 2;
		return true;
	case WLK_FORMAT_GIF:
		w->skip = 13 + color_table(head[10]);
		w->wants = 1;
		return true;
	default:
		w->skip = 12;
		w->wants = 8;
		return load_u32le(head + 4) == l->part.size - 8;
	}
}

static bool is_whole(const struct feed *f)
{
	const struct walk *w = &f->w;

	if (w->broken || w->skip > 0)
		return false;
	return w->ended || (f->id == WLK_FORMAT_WEBP && w->held_n == 0 && w->parts > 0);
}

enum wlk_status image_layout(struct layout *l)
{
	struct feed f = { .id = l->id };
	struct extent *e;
	bool begun = begin(l, &f.w);

	if (begun && !part_preview(&l->part, 0, (struct feeder){ .feed = feed, .ctx = &f }))
		return layout_stop(l);
	if (l->src->err != SOURCE_OK)
		return layout_stop(l);
	if (!begun || !is_whole(&f)) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	e = extents_add(l->extents);
	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	if (f.words.markup)
		layout_at(l, WLK_F_MARKUP_IN_METADATA, 0);
	layout_at(l, WLK_F_FORMAT_SIDE_FILE, 0);
	return WLK_DONE;
}
