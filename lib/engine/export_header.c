/* The header of the output, as the reference library writes it (safetensors 0.8, serialize()): metadata first, then the
 * tensors by type, the widest first, and by name; no space, but for those that pad it to eight bytes. */
#include <string.h>

#include "checked.h"
#include "decimal.h"
#include "export_impl.h"
#include "hex.h"

#define HEADER_ALIGN 8u
#define BLOCK_BYTES ((size_t)16 << 10)

struct writer {
	struct exports *ex;
	bool counting; /* nothing goes out */
	bool failed;
	uint64_t at; /* bytes so far */
	size_t n;
	uint8_t block[BLOCK_BYTES];
};

static void flush(struct writer *w)
{
	if (!w->counting && !w->failed)
		w->failed = !export_write(w->ex, w->at - w->n, w->block, w->n);
	w->n = 0;
}

static void put(struct writer *w, struct bytes b)
{
	for (size_t done = 0; done < b.n;) {
		size_t room = BLOCK_BYTES - w->n, n = b.n - done < room ? b.n - done : room;

		memcpy(w->block + w->n, b.at + done, n);
		w->n += n;
		w->at += n;
		done += n;
		if (w->n == BLOCK_BYTES)
			flush(w);
	}
}

static void put_text(struct writer *w, const char *text)
{
	put(w, bytes_of_text(text));
}

static void put_number(struct writer *w, uint64_t number)
{
	char text[DECIMAL_MAX];

	put(w, bytes_of(text, decimal_text(number, text)));
}

/* As serde_json escapes. */
static void put_escaped(struct writer *w, uint8_t c)
{
	static const char short_for[] = "b\bf\fn\nr\rt\t\"\"\\\\";
	char text[7] = { '\\', 'u', '0', '0' }; /* and the NUL that hex_write() adds */

	for (size_t i = 0; short_for[i] != '\0'; i += 2)
		if (c == (uint8_t)short_for[i + 1]) {
			text[1] = short_for[i];
			put(w, bytes_of(text, 2));
			return;
		}
	hex_write(&c, 1, text + 4);
	put(w, bytes_of(text, 6));
}

static void put_string(struct writer *w, struct bytes s)
{
	size_t from = 0;

	put_text(w, "\"");
	for (size_t i = 0; i < s.n; i++) {
		if (s.at[i] >= 0x20 && s.at[i] != '"' && s.at[i] != '\\')
			continue;
		put(w, bytes_of(s.at + from, i - from));
		put_escaped(w, s.at[i]);
		from = i + 1;
	}
	put(w, bytes_of(s.at + from, s.n - from));
	put_text(w, "\"");
}

/* Placeholders where who asked fills in; other names of what is kept. */
static void put_metadata(struct writer *w, struct bytes framework)
{
	const struct exports *ex = w->ex;

	put_text(w, CONVERT_PREAMBLE_SHA256);
	for (unsigned i = 0; i < 64; i++)
		put_text(w, "0");
	put_text(w, CONVERT_PREAMBLE_VERDICT);
	for (unsigned i = 0; i < CONVERT_VERDICT_BYTES; i++)
		put_text(w, "-");
	put_text(w, "\"");
	if (framework.n > 0) {
		put_text(w, ",\"format\":");
		put_string(w, framework);
	}
	for (size_t i = ex->n_kept; i < ex->n_tensors; i++) {
		put_text(w, ",");
		put_string(w, ex->order[i]->name);
		put_text(w, ":");
		put_string(w, ex->order[i]->same->name);
	}
	put_text(w, "}");
}

static void put_tensor(struct writer *w, const struct export_tensor *t)
{
	put_text(w, ",");
	put_string(w, t->name);
	put_text(w, ":{\"dtype\":\"");
	put_text(w, dtype_info((enum wlk_dtype)t->dtype)->name);
	put_text(w, "\",\"shape\":[");
	for (unsigned i = 0; i < t->rank; i++) {
		if (i > 0)
			put_text(w, ",");
		put_number(w, t->shape[i]);
	}
	put_text(w, "],\"data_offsets\":[");
	put_number(w, t->at);
	put_text(w, ",");
	put_number(w, t->at + t->bytes);
	put_text(w, "]}");
}

static void put_header(struct writer *w, struct bytes framework, uint64_t length)
{
	uint8_t n[8];

	store_u64le(n, length);
	put(w, bytes_of(n, sizeof(n)));
	put_metadata(w, framework);
	for (size_t i = 0; i < w->ex->n_kept; i++)
		put_tensor(w, w->ex->order[i]);
	put_text(w, "}");
	while (w->at % HEADER_ALIGN != 0)
		put_text(w, " ");
	flush(w);
}

bool export_header(struct exports *ex, struct bytes framework)
{
	struct writer *w = arena_alloc(ex->o.arena, 1, sizeof(*w));

	if (w == NULL)
		return false;
	*w = (struct writer){ .ex = ex, .counting = true };
	put_header(w, framework, 0);
	ex->header_bytes = w->at;
	if (ex->header_bytes - 8 > ex->o.header_max)
		exports_refuse(ex, CONVERT_HEADER, bytes_of(NULL, 0));
	else if (!add_u64(ex->header_bytes, ex->data_bytes, &ex->output_bytes) || ex->output_bytes > ex->o.output_max)
		exports_refuse(ex, CONVERT_QUOTA, bytes_of(NULL, 0));
	if (exports_refused(ex))
		return true;
	*w = (struct writer){ .ex = ex };
	put_header(w, framework, ex->header_bytes - 8);
	return true;
}
