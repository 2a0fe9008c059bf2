/* Weights in other files: section 5 of formats/onnx.  The worker opens nothing: it says which tensor is where (rows of the
 * manifest), and a set that holds the files is judged against that. */
#include <string.h>

#include "checked.h"
#include "dtype.h"
#include "onnx.h"
#include "onnx_types.h"
#include "paths.h"

enum key { KEY_LOCATION, KEY_OFFSET, KEY_LENGTH, KEY_CHECKSUM, KEY_BASEPATH, N_KEYS };

static const char *const key_names[N_KEYS] = { "location", "offset", "length", "checksum", "basepath" };

static enum key key_of(const struct onnx_word *w)
{
	unsigned i = 0;

	while (i < N_KEYS && !onnx_word_is(w, key_names[i]))
		i++;
	return (enum key)i;
}

static struct bytes location_bytes(const struct onnx_location *v)
{
	return bytes_of(v->at, v->n);
}

/* Digits only, without a leading zero, below 2^63. */
static bool read_number(const struct onnx_location *v, uint64_t *ret)
{
	uint64_t n = 0;

	if (v->n == 0 || v->n != v->bytes || v->n > 19 || (v->at[0] == '0' && v->n > 1))
		return false;
	for (unsigned i = 0; i < v->n; i++) {
		if (v->at[i] < '0' || v->at[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(v->at[i] - '0'); /* 19 digits: below 10^19, which fits */
	}
	*ret = n;
	return n <= INT64_MAX;
}

void onnx_external_entry(struct onnx *o, struct onnx_tensor *t, const struct onnx_entry_text *e)
{
	struct onnx_external *x = &t->external;
	enum key key = key_of(&e->key);

	x->n++;
	if (key == N_KEYS || (x->seen & 1u << key) != 0) {
		onnx_at(o, WLK_F_ONNX_EXTERNAL_KEY, e->at, onnx_word_bytes(&e->key));
		return;
	}
	x->seen |= 1u << key;
	if (key == KEY_LOCATION) {
		x->location = e->value;
		x->at = e->value_at;
	} else if (key == KEY_BASEPATH) {
		onnx_at(o, WLK_F_ONNX_EXTERNAL_BASEPATH, e->value_at, location_bytes(&e->value));
	} else if (key == KEY_OFFSET || key == KEY_LENGTH) {
		if (!read_number(&e->value, key == KEY_OFFSET ? &x->offset : &x->length)) {
			onnx_at(o, WLK_F_ONNX_EXTERNAL_NUMBER, e->value_at, location_bytes(&e->value));
			x->number_bad = true;
		}
		x->has_length = x->has_length || key == KEY_LENGTH;
	}
}

/* -- location -- */

static bool char_is_plain(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != 0 && strchr("._+@=- ", c) != NULL);
}

static bool component_is_plain(struct bytes b)
{
	if (b.n == 0 || b.at[0] == '-' || b.at[0] == '.' || b.at[b.n - 1] == '.' || b.at[b.n - 1] == ' ')
		return false;
	for (size_t i = 0; i < b.n; i++) {
		if (!char_is_plain(b.at[i]))
			return false;
	}
	return true;
}

/* Names that Windows keeps for devices, whatever follows a dot. */
static bool is_device(struct bytes b)
{
	static const char *const devices[] = { "con", "prn", "aux", "nul", "com", "lpt" };
	size_t n = 0;

	while (n < b.n && b.at[n] != '.')
		n++;
	for (unsigned i = 0; i < 6; i++) {
		bool numbered = i >= 4;

		if (n == (numbered ? 4u : 3u) && strncasecmp((const char *)b.at, devices[i], 3) == 0 &&
		    (!numbered || (b.at[3] >= '1' && b.at[3] <= '9')))
			return true;
	}
	return false;
}

#define COMPONENTS_MAX 4u

static bool is_portable(struct bytes b)
{
	unsigned components = 0;

	for (size_t begin = 0, i = 0; i <= b.n; i++) {
		struct bytes part = bytes_of(b.at + begin, i - begin);

		if (i < b.n && b.at[i] != '/')
			continue;
		if (++components > COMPONENTS_MAX || !component_is_plain(part) || is_device(part))
			return false;
		begin = i + 1;
	}
	return true;
}

/* Return: it is the name of a file beside the model. */
static bool check_location(struct onnx *o, const struct onnx_external *x)
{
	struct bytes name = location_bytes(&x->location);

	if (bytes_equal(name, bytes_of_text("*/_ORT_MEM_ADDR_/*")))
		onnx_at(o, WLK_F_ONNX_EXTERNAL_MEMORY, x->at, name);
	else if (path_leaves_folder(name))
		onnx_at(o, WLK_F_ONNX_EXTERNAL_TRAVERSAL, x->at, name);
	else if (x->location.bytes > ONNX_LOCATION_MAX || !is_portable(name))
		onnx_at(o, WLK_F_ONNX_EXTERNAL_NAME, x->at, name);
	else
		return true;
	return false;
}

/* -- the tensor -- */

/* Of one that is no type at all there are no bytes to be listed. */
static enum wlk_dtype type_of(const struct onnx_tensor *t)
{
	bool known = t->has_type && t->dtype < ONNX_DTYPES;

	return (enum wlk_dtype)onnx_type_of(known ? t->dtype : 0)->dtype;
}

static void list_mapping(struct onnx *o, const struct onnx_tensor *t, uint64_t length)
{
	struct manifest_row row = { .kind = MANIFEST_MAPPING,
		.name = bytes_of(o->pool + t->name_at, t->name_n),
		.name_bytes = t->name.bytes,
		.dtype = bytes_of_text(dtype_info(type_of(t))->name),
		.file = location_bytes(&t->external.location),
		.index = o->n_rows,
		.begin = t->external.offset,
		.rank = t->rank };

	if (!layout_wants_tensors(o->l) || !add_u64(row.begin, length, &row.end))
		return;
	for (unsigned i = 0; i < t->rank; i++)
		row.shape[i] = t->shape[i];
	o->n_rows++;
	o->stopped = !layout_tensor(o->l, &row) || o->stopped;
}

void onnx_external_end(struct onnx *o, struct onnx_tensor *t, uint64_t bytes)
{
	const struct onnx_external *x = &t->external;
	struct bytes name = onnx_word_bytes(&t->name);
	uint64_t end, length = x->has_length ? x->length : bytes;
	bool sound = false;

	if ((x->seen & 1u << KEY_LOCATION) == 0)
		onnx_at(o, WLK_F_ONNX_EXTERNAL_KEY, t->at, bytes_of_text("location"));
	else
		sound = check_location(o, x);
	o->external = true;
	if (x->number_bad)
		return;
	if (!add_u64(x->offset, length, &end) || end > INT64_MAX)
		onnx_value(o, WLK_F_ONNX_EXTERNAL_NUMBER, t->at, name, x->offset, INT64_MAX);
	else if (x->has_length && bytes != UINT64_MAX && x->length != bytes)
		onnx_value(o, WLK_F_ONNX_EXTERNAL_SIZE, t->at, name, x->length, bytes);
	else if (sound)
		list_mapping(o, t, length);
}
