/* Text forms of TensorFlow's messages: see tf_text.h.  Only the file `checkpoint` is read: a few lines of a field and a string or
 * number each, in the grammar of protobuf's text format. */
#include "tf_text.h"

#include "cursor.h"
#include "stream.h"

#define STATE_MAX 65536u /* bytes of a file `checkpoint`; ten paths are a kilobyte */
#define PATH_MAX_ 4096u  /* of a path in it, decoded */
#define HEAD 64u

struct head {
	uint8_t at[HEAD];
	size_t n;
};

/* -- what is it? -- */

static uint64_t note_head(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct head *h = ctx;

	(void)offset;
	h->n = n < HEAD ? n : HEAD;
	memcpy(h->at, at, h->n);
	return FEED_END;
}

/* Spaces, line ends and (of a text form) comments are no part of what it begins with. */
static struct bytes skip_blank(struct bytes b)
{
	while (b.n > 0 && strchr(" \t\r\n", b.at[0]) != NULL && b.at[0] != 0)
		b = bytes_of(b.at + 1, b.n - 1);
	return b;
}

static bool begins_with_one(const struct stream *s, struct arena *a, const char *const *words, size_t n)
{
	struct head h = { 0 };
	struct bytes text;

	if (s->size == 0 || stream_preview(s, a, (struct feeder){ note_head, &h }, NULL) == STREAM_FAILED)
		return false;
	text = skip_blank(bytes_of(h.at, h.n));
	for (size_t i = 0; i < n; i++)
		if (bytes_begin_with(text, words[i]))
			return true;
	return false;
}

static bool is_state(struct layout *l, const struct stream *s)
{
	static const char *const fields[] = { "model_checkpoint_path:", "all_model_checkpoint_paths:" };

	return s->size != STREAM_SIZE_UNKNOWN && s->size <= STATE_MAX && begins_with_one(s, l->arena, fields, 2);
}

/* The outermost messages of a SavedModel, a meta graph and a graph. */
static bool is_text(struct layout *l, const struct stream *s)
{
	static const char *const fields[] = { "saved_model_schema_version:", "meta_graphs {", "meta_graphs{",
		"meta_info_def {", "meta_info_def{", "graph_def {", "graph_def{", "node {", "node{", "library {",
		"library{", "versions {" };

	return begins_with_one(s, l->arena, fields, sizeof(fields) / sizeof(fields[0]));
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static enum wlk_status describe(struct layout *l)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	*e = (struct extent){ .end = l->part.size, .kind = EXTENT_METADATA };
	return WLK_DONE;
}

/* -- graphs -- */

static enum wlk_status layout_text(struct layout *l)
{
	enum wlk_status status = describe(l);

	layout_at(l, WLK_F_TF_TEXT_PROTO, 0);
	return status == WLK_DONE ? WLK_BROKEN : status;
}

/* -- the file `checkpoint` -- */

struct state {
	struct layout *l;
	struct cursor c;
};

static bool peek(const struct state *s, uint8_t *ret)
{
	struct cursor c = s->c;

	return cur_u8(&c, ret);
}

static bool take(struct state *s, uint8_t want)
{
	uint8_t c;

	return peek(s, &c) && c == want && cur_skip(&s->c, 1);
}

static void skip_space(struct state *s)
{
	uint8_t c;

	while (peek(s, &c) && (c == ' ' || c == '\t' || c == '\r' || c == '\n'))
		cur_skip(&s->c, 1);
}

/* Letters, digits, and what else a name or a number is made of. */
static struct bytes take_word(struct state *s)
{
	const uint8_t *begin = s->c.base + (s->c.pos - s->c.origin);
	size_t n = 0;
	uint8_t c;

	for (; peek(s, &c) &&
	       ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '_' || c == '.' || c == '-' || c == '+');
	     n++)
		cur_skip(&s->c, 1);
	return bytes_of(begin, n);
}

static bool is_octal(uint8_t c)
{
	return c >= '0' && c <= '7';
}

/* Behind a backslash: the character itself, or up to three digits of it.  What else there is no writer of paths writes. */
static bool take_escape(struct state *s, uint8_t *ret)
{
	unsigned value = 0;
	uint8_t c;

	if (!peek(s, &c))
		return false;
	if (c == '\\' || c == '"' || c == '\'') {
		*ret = c;
		return cur_skip(&s->c, 1);
	}
	for (unsigned i = 0; i < 3 && peek(s, &c) && is_octal(c); i++) {
		value = value << 3 | (c & 7u);
		cur_skip(&s->c, 1);
	}
	*ret = (uint8_t)value;
	return value > 0 && value < 256;
}

static bool take_string(struct state *s, uint8_t *room, size_t *ret_n)
{
	size_t n = 0;
	uint8_t c;

	if (!take(s, '"'))
		return false;
	while (n < PATH_MAX_ && cur_u8(&s->c, &c)) {
		if (c == '"') {
			*ret_n = n;
			return true;
		}
		if (c < ' ' || (c == '\\' && !take_escape(s, &c)))
			return false;
		room[n++] = c;
	}
	return false;
}

static bool is_slash(uint8_t c)
{
	return c == '/' || c == '\\';
}

static bool leads_upwards(struct bytes path)
{
	for (size_t i = 0; i + 1 < path.n; i++)
		if (path.at[i] == '.' && path.at[i + 1] == '.' && (i == 0 || is_slash(path.at[i - 1])) &&
		    (i + 2 == path.n || is_slash(path.at[i + 2])))
			return true;
	return false;
}

static bool has_text(struct bytes b, const char *text)
{
	return b.n > 0 && memmem(b.at, b.n, text, strlen(text)) != NULL;
}

/* Decision 4. */
static void judge_path(struct state *s, struct bytes path, uint64_t at)
{
	bool elsewhere = path.n > 0 && (is_slash(path.at[0]) || path.at[0] == '~' || (path.n > 1 && path.at[1] == ':'));
	struct finding f = { .has_offset = true, .offset = at, .subject = path };

	if (leads_upwards(path) || has_text(path, "://"))
		f.code = WLK_F_TF_CHECKPOINT_PATH;
	else if (elsewhere)
		f.code = WLK_F_TF_CHECKPOINT_ABSOLUTE;
	else
		return;
	layout_finding(s->l, &f);
}

/* field: "path" or field: number, on and on. */
static bool read_field(struct state *s)
{
	uint8_t room[PATH_MAX_];
	uint64_t at = s->c.pos;
	struct bytes field = take_word(s);
	size_t n;

	if (!take(s, ':'))
		return false;
	skip_space(s);
	if (bytes_equal(field, bytes_of_text("model_checkpoint_path")) ||
	    bytes_equal(field, bytes_of_text("all_model_checkpoint_paths"))) {
		if (!take_string(s, room, &n))
			return false;
		judge_path(s, bytes_of(room, n), at);
		return true;
	}
	return (bytes_equal(field, bytes_of_text("all_model_checkpoint_timestamps")) ||
		   bytes_equal(field, bytes_of_text("last_preserved_timestamp"))) &&
	       take_word(s).n > 0;
}

static enum wlk_status layout_state(struct layout *l)
{
	const uint8_t *at = part_pin(&l->part, 0, (size_t)l->part.size);
	struct state s = { .l = l };

	if (at == NULL)
		return layout_stop(l);
	s.c = cur_over(bytes_of(at, (size_t)l->part.size), 0);
	for (skip_space(&s); cur_left(&s.c) > 0; skip_space(&s))
		if (!read_field(&s)) {
			layout_at(l, WLK_F_TF_TEXT_PROTO, s.c.pos);
			return WLK_BROKEN;
		}
	return describe(l);
}

const struct wlk_format format_tf_checkpoint_state = { .id = WLK_FORMAT_TF_CHECKPOINT_STATE,
	.probe = no_probe,
	.layout = layout_state,
	.nested = NESTED_RANDOM,
	.last_resort = is_state };
const struct wlk_format format_tf_text = { .id = WLK_FORMAT_TF_TEXT,
	.probe = no_probe,
	.layout = layout_text,
	.nested = NESTED_RANDOM,
	.last_resort = is_text };
