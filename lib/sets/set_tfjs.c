/* TensorFlow.js models and the files of their weights: formats/others, section 1 (TensorFlow.js).  A group's weights lie one
 * behind the other in the run of bytes that its files are together; the model's rows name the files, and how long the run is.
 * What the bytes hold nobody has looked at: what is said of the files, and of the model (tfjs-weights-unchecked), stands. */
#include "checked.h"
#include "set_impl.h"

struct shards {
	struct set *s;
	uint32_t model; /* whose rows go by */
	/* The group whose rows go by. */
	uint8_t name[MANIFEST_NAME_MAX];
	size_t name_n;
	uint64_t want, have; /* bytes */
	bool open, known;    /* known: of all files it is known how long they are, and of the run too */
};

static void end_group(struct shards *g)
{
	if (g->open && g->known && g->want != g->have)
		set_finding(g->s, g->model,
		    (struct finding){ .code = WLK_F_TFJS_SIZE,
			.subject = bytes_of(g->name, g->name_n),
			.found = value_number(g->have),
			.allowed = value_number(g->want) });
	g->open = false;
}

static void begin_group(struct shards *g, const struct manifest_row *row)
{
	bytes_copy(g->name, row->name);
	g->name_n = row->name.n;
	g->open = true;
	g->known = row->rank == 1;
	g->want = g->known ? row->shape[0] : 0;
	g->have = 0;
}

/* As loaders join it: the model's folder and the place. */
static uint32_t find_file(const struct shards *g, struct bytes place)
{
	uint8_t path[SET_NAME_MAX + MANIFEST_PATH_MAX];
	struct bytes folder = set_folder(g->s, g->model);
	uint32_t id;

	bytes_copy(path, folder);
	bytes_copy(path + folder.n, place);
	id = intern_find(&g->s->names, bytes_of(path, folder.n + place.n));
	return id != INTERN_NONE ? g->s->names.list[id].value[0] : INTERN_NONE;
}

static bool take_row(void *ctx, const struct manifest_row *row)
{
	struct shards *g = ctx;
	const struct set_member *m;
	uint32_t file;

	if (row->kind != MANIFEST_MAPPING || row->member.n > 0)
		return true;
	if (!g->open || !bytes_equal(row->name, bytes_of(g->name, g->name_n))) {
		end_group(g);
		begin_group(g, row);
	}
	file = find_file(g, row->file);
	m = file != INTERN_NONE ? &g->s->members[file] : NULL;
	if (m == NULL || m->state == SET_MEMBER_LINK || m->state == SET_MEMBER_SPECIAL) {
		g->known = false;
		set_finding(g->s, g->model, (struct finding){ .code = WLK_F_TFJS_FILE_MISSING, .subject = row->file });
	} else if (m->format == WLK_FORMAT_LFS_POINTER || m->state == SET_MEMBER_UNREADABLE ||
		   !add_u64(g->have, m->size, &g->have)) {
		g->known = false; /* the file itself has a finding */
	}
	return true;
}

bool set_judge_tfjs(struct set *s)
{
	struct shards g = { .s = s };

	for (g.model = 0; g.model < s->n; g.model++) {
		if (s->members[g.model].format != WLK_FORMAT_TFJS)
			continue;
		if (!set_rows(s, g.model, take_row, &g))
			return false;
		end_group(&g);
	}
	return true;
}
