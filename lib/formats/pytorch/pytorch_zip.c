/* Checkpoints as ZIP archives: see pytorch_zip.h.  The order of reading: directory, folder, small records, the pickle -
 * which says what the storages are before the pass meets them -, storages, and whatever else is there. */
#include "pytorch_zip.h"

#include "checked.h"
#include "config_pickle.h"
#include "nested.h"
#include "pickle_arrays.h"
#include "pytorch_zip_impl.h"

#define LOCAL_SIGNATURE "PK\3\4"
#define PREVIEW_MAGIC "PYTORCH1"

/* -- is it one? -- */

#define LOCAL_BYTES 30u
#define LOCAL_FLAGS 6u
#define LOCAL_CODED 18u
#define LOCAL_NAME_N 26u
#define LOCAL_EXTRA_N 28u
#define FLAG_DESCRIPTOR 0x0008u /* sizes stand behind the data */

static bool starts_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && memcmp(b.at, text, n) == 0;
}

/* One that no other archive has below a folder. */
static bool is_torch_name(struct bytes path)
{
	struct bytes root, name;

	if (bytes_equal(path, bytes_of_text("data.pkl")))
		return true; /* its folder is missing: the loader will not find it, but it is meant to */
	return torch_member_split(path, &root, &name) && torch_member_of(name) != TORCH_MEMBER_UNKNOWN;
}

/* Local headers from the first on: folders go before what decides. */
static bool probe_zip(struct bytes head)
{
	while (head.n >= LOCAL_BYTES && starts_with(head, LOCAL_SIGNATURE)) {
		size_t name_n = load_u16le(head.at + LOCAL_NAME_N), extra_n = load_u16le(head.at + LOCAL_EXTRA_N);
		size_t skip = LOCAL_BYTES + name_n + extra_n; /* at most 30 + 2 * 65,535 */
		struct bytes name;

		if (name_n > head.n - LOCAL_BYTES)
			return false;
		name = bytes_of(head.at + LOCAL_BYTES, name_n);
		if (is_torch_name(name))
			return true;
		if (name_n == 0 || name.at[name_n - 1] != '/' || load_u32le(head.at + LOCAL_CODED) != 0 ||
		    (load_u16le(head.at + LOCAL_FLAGS) & FLAG_DESCRIPTOR) != 0 || skip > head.n)
			return false;
		head = bytes_of(head.at + skip, head.n - skip);
	}
	return false;
}

static bool probe(const struct probe *p)
{
	struct bytes head = bytes_of(p->head, p->n);

	return starts_with(head, PREVIEW_MAGIC) || probe_zip(head);
}

/* -- findings -- */

void torch_zip_report(
    struct torch_zip *t, enum wlk_finding code, const struct zip_entry *e, struct value found, struct value allowed)
{
	struct finding f = { .code = code, .found = found, .allowed = allowed, .member = t->l->part.member };

	t->unsound |= torch_finding_contradicts(code);
	if (e != NULL) {
		f.has_offset =
		    t->l->part.copy == NULL; /* else it is one of the archive's bytes, and the member another */
		f.offset = part_offset(&t->l->part, min_u64(e->local, t->l->part.size));
		f.member = e->member != NULL ? e->member->stream.part.member : e->name;
	}
	report_finding(t->l->report, &f);
}

void torch_zip_at(struct torch_zip *t, enum wlk_finding code, const struct zip_entry *e)
{
	torch_zip_report(t, code, e, (struct value){ 0 }, (struct value){ 0 });
}

/* -- members -- */

bool torch_zip_name(const struct torch_zip *t, const struct zip_entry *e, struct bytes *ret)
{
	struct bytes root;

	return torch_member_split(e->name, &root, ret) && bytes_equal(root, t->root);
}

struct head {
	uint8_t *at;
	size_t n;
};

static uint64_t take_head(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct head *h = ctx;
	size_t taken = n < PROBE_BYTES - h->n ? n : PROBE_BYTES - h->n;

	memcpy(h->at + h->n, at, taken);
	h->n += taken;
	return h->n == PROBE_BYTES ? FEED_END : offset + n;
}

bool torch_zip_head(struct torch_zip *t, const struct zip_entry *e, struct bytes *ret)
{
	struct head h = { .at = t->head };
	enum stream_end end = stream_preview(&e->member->stream, t->l->arena, (struct feeder){ take_head, &h }, NULL);

	*ret = bytes_of(h.at, h.n);
	return end != STREAM_FAILED;
}

enum wlk_status torch_zip_judge_pickle(struct torch_zip *t, const struct zip_entry *e, enum pickle_profile profile)
{
	const struct stream *s = &e->member->stream;
	uint64_t origin = stream_origin(s);
	struct pickle_arrays *arrays = pickle_arrays_new(t->l, origin, s->part.member);
	struct pickle_judge *judge =
	    arrays == NULL ? NULL
			   : pickle_judge_new(t->l->arena, &(struct pickle_judge_options){ .profile = profile,
							       .extra = t->l->pickle_names,
							       .origin = origin,
							       .member = s->part.member,
							       .report = t->l->report,
							       .seed = t->l->seed,
							       .size = s->size,
							       .opcodes_max = t->l->lim->opcodes,
							       .torchscript = t->script,
							       .event = pickle_arrays_event,
							       .bound = pickle_arrays_bound,
							       .ctx = arrays });

	enum wlk_status status = judge != NULL ? pickle_judge_stream(judge, s, 0, t->l->arena) : layout_stop(t->l);

	pickle_judge_release(judge);
	return status != WLK_INCOMPLETE && pickle_arrays_check(arrays, s, true) != WLK_DONE ? WLK_INCOMPLETE : status;
}

enum wlk_status torch_zip_sniff(struct torch_zip *t, const struct zip_entry *e, enum wlk_finding code)
{
	struct bytes head;
	bool acts = false;

	if (!torch_zip_head(t, e, &head))
		return layout_stop(t->l);
	if (!pickle_sniff(head.at, head.n, e->size, t->l->arena, &acts) || !acts)
		return WLK_DONE;
	torch_zip_at(t, code, e);
	return torch_zip_judge_pickle(t, e, PICKLE_PLAIN) == WLK_INCOMPLETE ? WLK_INCOMPLETE : WLK_DONE;
}

/* Before any pickle is judged: TorchScript's have names of their own. */
static void find_script(struct torch_zip *t)
{
	for (size_t i = 0; i < t->zip.n && !t->script; i++) {
		struct bytes name;

		t->script = torch_zip_name(t, &t->zip.entries[i], &name) && torch_member_is_code(torch_member_of(name));
	}
	if (t->script)
		t->l->id = WLK_FORMAT_TORCHSCRIPT;
}

/* The loader takes the folder of the first entry. */
static void find_root(struct torch_zip *t)
{
	struct bytes name;

	if (t->zip.n > 0)
		(void)torch_member_split(t->zip.entries[0].name, &t->root, &name);
}

static void check_roots(struct torch_zip *t)
{
	for (size_t i = 0; i < t->zip.n; i++) {
		const struct zip_entry *e = &t->zip.entries[i];
		struct bytes root, name;

		if (!torch_member_split(e->name, &root, &name))
			torch_zip_at(t, WLK_F_TORCH_NO_ROOT, e);
		else if (!bytes_equal(root, t->root))
			torch_zip_at(t, WLK_F_TORCH_MULTIPLE_ROOTS, e);
	}
}

/* A loader that maps the file wants storages where their elements are aligned. */
static bool is_misaligned(const struct torch_zip *t, const struct zip_entry *e)
{
	struct bytes name;

	return e->method == ZIP_METHOD_STORED && e->size > 0 && e->data % t->alignment != 0 &&
	       torch_zip_name(t, e, &name) && torch_member_of(name) == TORCH_MEMBER_STORAGE;
}

static void check_packing(struct torch_zip *t)
{
	const struct zip_entry *deflated = NULL, *misaligned = NULL;

	for (size_t i = 0; i < t->zip.n; i++) {
		const struct zip_entry *e = &t->zip.entries[i];

		if (e->odd_padding)
			torch_zip_at(t, WLK_F_TORCH_PADDING_BYTES, e);
		if (deflated == NULL && e->method != ZIP_METHOD_STORED)
			deflated = e;
		if (misaligned == NULL && is_misaligned(t, e))
			misaligned = e;
	}
	if (deflated != NULL)
		torch_zip_at(t, WLK_F_TORCH_MEMBER_DEFLATED, deflated);
	if (misaligned != NULL)
		torch_zip_report(
		    t, WLK_F_TORCH_MISALIGNED, misaligned, value_number(misaligned->data), value_number(t->alignment));
}

/* -- data.pkl -- */

static struct bytes path_below(struct torch_zip *t, const char *name)
{
	size_t n = strlen(name);
	uint8_t *path = arena_alloc(t->l->arena, t->root.n + 1 + n, 1);

	if (path == NULL)
		return bytes_of(NULL, 0);
	bytes_copy(path, t->root);
	path[t->root.n] = '/';
	memcpy(path + t->root.n + 1, name, n);
	return bytes_of(path, t->root.n + 1 + n);
}

static bool start_walk(struct torch_zip *t, const struct stream *s)
{
	uint64_t origin = stream_origin(s);
	const struct torch_objects_options objects = { .l = t->l,
		.origin = origin,
		.member = s->part.member,
		.constants = t->constants,
		.arrays_examined = true };

	t->objects = torch_objects_new(&objects);
	t->judge = t->objects == NULL
		       ? NULL
		       : pickle_judge_new(t->l->arena, &(struct pickle_judge_options){ .profile = PICKLE_TORCH,
							   .extra = t->l->pickle_names,
							   .origin = origin,
							   .member = s->part.member,
							   .report = t->l->report,
							   .seed = t->l->seed,
							   .size = s->size,
							   .opcodes_max = t->l->lim->opcodes,
							   .torchscript = t->script,
							   .items_kept = torch_items_kept(t->l),
							   .event = torch_objects_event,
							   .wanted = config_pickle_wants,
							   .ctx = t->objects });
	return t->judge != NULL;
}

/* They are no tensors of a state dict. */
static const struct tensor_view *no_views(const struct extents *x, const struct extent *e)
{
	(void)x;
	(void)e;
	return &tensor_view_none;
}

/* NumPy's arrays in data.pkl, whose elements are examined where they stand. */
static enum wlk_status describe_arrays(struct torch_zip *t)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_TORCH_TRAILING_BYTES,
		.hole = WLK_F_TORCH_TRAILING_BYTES,
		.out_of_bounds = WLK_F_TORCH_TRAILING_BYTES,
		.trailing = WLK_F_TORCH_TRAILING_BYTES };
	struct member *m = t->data_pkl->member;
	struct extents *x = member_inner(m, t->l->arena);

	if (x != NULL && layout_wants_views(t->l))
		x->views = no_views;
	if (x == NULL || !pickle_arrays_extents(torch_objects_arrays(t->objects), x, 0, m->stream.size))
		return layout_stop(t->l);
	if (extents_cover(x, 0, m->stream.size, &codes, t->l->report) == WLK_INCOMPLETE)
		return layout_stop(t->l);
	return WLK_DONE;
}

/* Do extents of data.pkl show the elements of its arrays? */
static bool describes(const struct torch_zip *t, enum wlk_status status)
{
	return status == WLK_DONE && torch_objects_sound(t->objects);
}

static enum wlk_status walk_data_pkl(struct torch_zip *t)
{
	const struct stream *s = &t->data_pkl->member->stream;
	enum wlk_status status;

	torch_objects_raise_memory(t->l, s->size);
	if (!start_walk(t, s))
		return layout_stop(t->l);
	status = pickle_judge_stream(t->judge, s, 0, t->l->arena);
	if (status == WLK_INCOMPLETE)
		return status;
	if (torch_objects_failed(t->objects))
		return layout_stop(t->l);
	if (pickle_arrays_check(torch_objects_arrays(t->objects), s, !describes(t, status)) != WLK_DONE)
		return WLK_INCOMPLETE;
	if (pickle_judge_summary(t->judge).streams > 1)
		torch_zip_at(t, WLK_F_TORCH_TRAILING_BYTES, t->data_pkl);
	t->data_pkl->member->understood = status == WLK_DONE;
	return describes(t, status) ? describe_arrays(t) : WLK_DONE;
}

/* Nothing is looked up without a folder. */
static enum wlk_status read_data_pkl(struct torch_zip *t)
{
	struct bytes path = t->root.n > 0 ? path_below(t, "data.pkl") : t->root;

	if (t->root.n > 0 && path.n == 0)
		return layout_stop(t->l);
	if (t->root.n > 0)
		t->data_pkl = zip_find(&t->zip, path);
	if (t->data_pkl == NULL) {
		torch_zip_at(t, WLK_F_TORCH_NO_DATAPKL, NULL);
		return WLK_DONE;
	}
	return t->data_pkl->readable ? walk_data_pkl(t) : WLK_DONE;
}

/* -- constants.pkl -- */

/* What it describes, while t->objects are its own. */
static enum wlk_status read_constants_now(struct torch_zip *t)
{
	enum wlk_status status = walk_data_pkl(t);

	if (status == WLK_DONE && t->objects != NULL)
		status = torch_zip_constants_storages(t);
	t->unsound |= t->objects != NULL && !torch_objects_sound(t->objects);
	return status;
}

/* TorchScript keeps the tensors that its source names (CONSTANTS.c0) as a checkpoint beside the checkpoint. */
static enum wlk_status read_constants(struct torch_zip *t)
{
	struct bytes path = t->root.n > 0 ? path_below(t, "constants.pkl") : t->root;
	const struct zip_entry *e = path.n > 0 ? zip_find(&t->zip, path) : NULL;
	struct torch_zip weights = *t;
	enum wlk_status status;

	if (t->root.n > 0 && path.n == 0)
		return layout_stop(t->l);
	if (e == NULL || !e->readable)
		return WLK_DONE;
	t->data_pkl = e;
	t->folder = "constants/";
	t->constants = true;
	t->judge = NULL;
	t->objects = NULL;
	status = read_constants_now(t);
	t->data_pkl = weights.data_pkl;
	t->folder = weights.folder;
	t->constants = false;
	t->judge = weights.judge;
	t->objects = weights.objects;
	return status;
}

/* -- the rest -- */

static bool is_pickle(enum wlk_format_id id)
{
	return id == WLK_FORMAT_PICKLE || id == WLK_FORMAT_PYTORCH_LEGACY || id == WLK_FORMAT_JOBLIB;
}

static enum wlk_status judge_unknown(struct torch_zip *t, const struct zip_entry *e)
{
	enum wlk_format_id id;
	enum wlk_status status = nested_judge(t->l, e->member, &id);

	if (status == WLK_INCOMPLETE)
		return status;
	torch_zip_at(t, is_pickle(id) ? WLK_F_TORCH_HIDDEN_PICKLE : WLK_F_TORCH_UNKNOWN_MEMBER, e);
	return id == WLK_FORMAT_UNKNOWN ? torch_zip_sniff(t, e, WLK_F_TORCH_HIDDEN_PICKLE) : WLK_DONE;
}

static enum wlk_status judge_rest(struct torch_zip *t, const struct zip_entry *e)
{
	enum torch_member kind = TORCH_MEMBER_UNKNOWN;
	struct bytes name;

	if (torch_zip_name(t, e, &name))
		kind = torch_member_of(name);
	if (torch_member_is_code(kind))
		return torch_zip_code(t, e, kind);
	switch (kind) {
	case TORCH_MEMBER_DATA_PKL: return e == t->data_pkl ? WLK_DONE : judge_unknown(t, e);
	case TORCH_MEMBER_UNKNOWN: return judge_unknown(t, e);
	default: return WLK_DONE;
	}
}

static enum wlk_status read_rest(struct torch_zip *t)
{
	for (size_t i = 0; i < t->zip.n; i++) {
		const struct zip_entry *e = &t->zip.entries[i];
		enum wlk_status status;

		if (!e->readable || e->directory)
			continue;
		status = judge_rest(t, e);
		if (status != WLK_DONE)
			return status;
	}
	return WLK_DONE;
}

/* Would torch.load(weights_only=True) take it? */
static void report_loadable(struct torch_zip *t)
{
	bool loadable = t->judge != NULL && !t->script && pickle_judge_summary(t->judge).weights_only_loadable &&
			torch_objects_ids_sound(t->objects);

	if (t->l->part.depth == 0)
		report_fact_flag(t->l->report, WLK_FACT_WEIGHTS_ONLY_LOADABLE, loadable);
	if (!loadable && t->judge != NULL)
		torch_zip_at(t, WLK_F_TORCH_WEIGHTS_ONLY, t->data_pkl);
}

static enum wlk_status read_archive(struct torch_zip *t)
{
	enum wlk_status status;

	find_root(t);
	find_script(t);
	check_roots(t);
	status = torch_zip_records(t);
	if (status == WLK_DONE)
		status = read_data_pkl(t);
	if (status == WLK_DONE)
		status = torch_zip_storages(t);
	if (status == WLK_DONE)
		status = read_constants(t);
	if (status == WLK_DONE)
		status = read_rest(t);
	if (status != WLK_DONE)
		return status;
	check_packing(t);
	report_loadable(t);
	return t->zip.tiled ? WLK_DONE : WLK_BROKEN; /* members that are not understood stay so: elements.h */
}

static enum wlk_status layout_one(struct layout *l)
{
	struct torch_zip *t = arena_alloc(l->arena, 1, sizeof(*t));
	struct zip_options options = { .profile = ZIP_TORCH,
		.lim = l->lim,
		.seed = l->seed,
		.arena = l->arena,
		.report = l->report,
		.extents = l->extents };
	const uint8_t *magic;
	enum wlk_status status;

	if (t == NULL)
		return layout_stop(l);
	t->l = l;
	t->alignment = TORCH_ALIGNMENT;
	t->folder = "data/";
	magic = part_pin(&l->part, 0, (size_t)min_u64(l->part.size, strlen(PREVIEW_MAGIC)));
	if (magic == NULL)
		return layout_stop(l);
	if (starts_with(bytes_of(magic, (size_t)min_u64(l->part.size, strlen(PREVIEW_MAGIC))), PREVIEW_MAGIC)) {
		layout_at(l, WLK_F_TORCH_PREVIEW, 0);
		return WLK_BROKEN;
	}
	status = zip_read(&t->zip, &l->part, &options);
	if (status != WLK_DONE)
		return status;
	l->state = t;
	return read_archive(t);
}

/* Only of a file that says it is one: of what torch.load() opens the last archive counts, and the others hide. */
static enum wlk_status layout(struct layout *l)
{
	size_t n = 0;

	if (l->hint == WLK_FORMAT_DCP && l->part.depth == 0 && !torch_shards_count(l, &n))
		return layout_stop(l);
	return n > 1 ? torch_shards_layout(l) : layout_one(l);
}

/* What contradicts itself was gone through all the same; now it is said. */
static enum wlk_status finish(struct layout *l)
{
	const struct torch_zip *t = l->state;
	enum wlk_status status;

	if (t == NULL)
		return WLK_DONE;
	status = zip_finish(&t->zip);
	if (status == WLK_DONE && (t->unsound || (t->objects != NULL && !torch_objects_sound(t->objects))))
		status = WLK_BROKEN;
	return status;
}

const struct wlk_format format_pytorch = {
	.id = WLK_FORMAT_PYTORCH,
	.converts = CONVERTS_TOLD,
	.framework = "pt",
	.probe = probe,
	.layout = layout,
	.finish = finish,
	.nested = NESTED_RANDOM,
};
