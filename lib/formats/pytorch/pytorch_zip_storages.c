/* Storages and the members that hold them: each is the other's.  Follows formats/pytorch, section 2, "Checks", and
 * section 4. */
#include "checked.h"
#include "pytorch_indices.h"
#include "pytorch_zip_impl.h"

#define KEY_MAX 28u /* digits, more than a 64-bit address has, and ".storage" */

/* -- from storage to member -- */

#define FOLDER_MAX 12u /* bytes of "/constants/", the longest */

static size_t put(uint8_t *path, size_t n, const char *text)
{
	memcpy(path + n, text, strlen(text));
	return n + strlen(text);
}

/* The member of a storage; NULL: none.  @path: room for the root, FOLDER_MAX and KEY_MAX. */
static const struct zip_entry *member_of(struct torch_zip *t, const struct torch_storage *s, uint8_t *path)
{
	size_t n = t->root.n;

	if (s->key.n > KEY_MAX)
		return NULL;
	memcpy(path, t->root.at, n);
	n = put(path, put(path, n, "/"), t->folder);
	bytes_copy(path + n, s->key);
	return zip_find(&t->zip, bytes_of(path, n + s->key.n));
}

/* Rule 2. */
static bool check_size(struct torch_zip *t, const struct torch_storage *s, const struct zip_entry *e)
{
	uint64_t bytes;

	if (!torch_storage_bytes(s, &bytes))
		return s->type == NULL; /* unknown class: reported with its id */
	if (bytes == e->size)
		return true;
	torch_objects_report(
	    t->objects, WLK_F_TORCH_STORAGE_SIZE, s, s->offset, value_number(bytes), value_number(e->size));
	return false;
}

static void describe(struct torch_zip *t, const struct torch_storage *s, const struct zip_entry *e)
{
	struct member *m = e->member;

	if (!check_size(t, s, e) || s->type == NULL)
		return;
	m->dtype = torch_storage_dtype(s);
	m->big_endian = t->big_endian;
	m->tensor = s->name;
	m->shape = s->shape;
	m->rank = s->rank;
	m->views = torch_views_of(t->objects, s);
	m->understood = true;
	if (m->dtype != WLK_DTYPE_NONE)
		return;
	m->dtype = WLK_DTYPE_U8;
	torch_zip_at(t, WLK_F_TORCH_STORAGE_OPAQUE, e);
}

static enum wlk_status describe_all(struct torch_zip *t)
{
	struct torch_storages *all = torch_objects_storages(t->objects);
	uint8_t *path = arena_alloc(t->l->arena, t->root.n + FOLDER_MAX + KEY_MAX, 1);

	if (path == NULL)
		return layout_stop(t->l);
	for (size_t i = 0; i < all->n; i++) {
		struct torch_storage *s = &all->list[i];
		const struct zip_entry *e = member_of(t, s, path);

		if (e == NULL) {
			torch_objects_report(t->objects, WLK_F_TORCH_STORAGE_MISSING, s, s->offset, (struct value){ 0 },
			    (struct value){ 0 });
			continue;
		}
		s->stored = e->readable;
		if (!e->readable)
			continue;
		describe(t, s, e);
		if (torch_zip_examine_mapped(t, s, e) != WLK_DONE)
			return WLK_INCOMPLETE;
	}
	return WLK_DONE;
}

/* -- from member to storage -- */

static bool is_used(const struct torch_zip *t, struct bytes key)
{
	return t->objects != NULL && torch_storages_find(torch_objects_storages(t->objects), key) != TORCH_STORAGE_NONE;
}

static enum wlk_status check_member(struct torch_zip *t, const struct zip_entry *e)
{
	size_t folder = strlen("data/");
	struct bytes name;

	if (!e->readable || !torch_zip_name(t, e, &name) || torch_member_of(name) != TORCH_MEMBER_STORAGE)
		return WLK_DONE;
	if (!is_used(t, bytes_of(name.at + folder, name.n - folder)))
		torch_zip_at(t, WLK_F_TORCH_STORAGE_ORPHAN, e);
	return torch_zip_sniff(t, e, WLK_F_TORCH_STORAGE_PICKLE);
}

/* -- indices of sparse tensors -- */

static enum wlk_status check_indices(struct torch_zip *t, const struct torch_index_check *check)
{
	const struct torch_storage *s = &torch_objects_storages(t->objects)->list[check->storage];
	uint8_t path[REPORT_STRING_MAX + KEY_MAX + FOLDER_MAX];
	const struct zip_entry *e = t->root.n <= REPORT_STRING_MAX ? member_of(t, s, path) : NULL;
	struct stream mapped;
	enum wlk_status status;

	if (e == NULL || !e->readable)
		return WLK_DONE; /* reported as missing */
	status = torch_indices_check(t->objects, check, &e->member->stream, false);
	if (status == WLK_DONE && torch_zip_mapped(t, s, e, &mapped))
		status = torch_indices_check(t->objects, check, &mapped, false);
	if (status == WLK_DONE && t->big_endian) /* as either kind of release reads them */
		status = torch_indices_check(t->objects, check, &e->member->stream, true);
	return status;
}

static enum wlk_status check_all_indices(struct torch_zip *t)
{
	size_t n;
	const struct torch_index_check *checks = torch_objects_index_checks(t->objects, &n);

	for (size_t i = 0; i < n; i++) {
		enum wlk_status status = check_indices(t, &checks[i]);

		if (status != WLK_DONE)
			return status;
	}
	return WLK_DONE;
}

/* -- computed offsets -- */

#define LOCAL_BYTES 30u
#define PADDING_HEADER_BYTES 4u
#define DESCRIPTOR_BYTES 16u
#define DESCRIPTOR64_BYTES 24u
#define LIMIT32 UINT32_MAX

/* Where a loader expects the data of a member whose local header is at @header (PyTorchStreamReader,
 * getRecordOffsetNoRead). */
static uint64_t computed_data(const struct torch_zip *t, const struct zip_entry *e, uint64_t header)
{
	uint64_t start = header + LOCAL_BYTES + e->name.n + PADDING_HEADER_BYTES; /* below the file's size and 64 KiB */

	if (e->size >= LIMIT32 || header >= LIMIT32)
		start += 4u + (e->size >= LIMIT32 ? 16u : 0u) + (header >= LIMIT32 ? 8u : 0u);
	return (start + t->alignment - 1) / t->alignment * t->alignment;
}

static uint64_t computed_end(const struct zip_entry *e, uint64_t header)
{
	if (e->size == 0)
		return e->data;
	return e->data + e->size + (header >= LIMIT32 || e->size >= LIMIT32 ? DESCRIPTOR64_BYTES : DESCRIPTOR_BYTES);
}

/* Loaders that skip reading headers add up lengths, in the order of the pickle. */
static void check_order(struct torch_zip *t)
{
	const struct torch_storages *all = torch_objects_storages(t->objects);
	uint8_t path[REPORT_STRING_MAX + KEY_MAX + FOLDER_MAX];
	uint64_t header = 0;

	if (!t->format_version || t->root.n > REPORT_STRING_MAX)
		return;
	for (size_t i = 0; i < all->n; i++) {
		const struct zip_entry *e = member_of(t, &all->list[i], path);

		if (e == NULL || !e->readable)
			return;
		if (i > 0 && computed_data(t, e, header) != e->data) {
			torch_zip_report(t, WLK_F_TORCH_OFFSET_ORDER, e, value_number(e->data),
			    value_number(computed_data(t, e, header)));
			return;
		}
		header = computed_end(e, i > 0 ? header : e->local);
	}
}

enum wlk_status torch_zip_constants_storages(struct torch_zip *t)
{
	enum wlk_status status = describe_all(t);

	return status == WLK_DONE ? check_all_indices(t) : status;
}

enum wlk_status torch_zip_storages(struct torch_zip *t)
{
	enum wlk_status status = WLK_DONE;

	if (t->objects != NULL) {
		status = describe_all(t);
		if (status == WLK_DONE)
			status = check_all_indices(t);
		check_order(t);
	}
	for (size_t i = 0; i < t->zip.n && status == WLK_DONE; i++)
		status = check_member(t, &t->zip.entries[i]);
	return status;
}
