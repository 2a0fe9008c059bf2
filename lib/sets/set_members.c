/* The members of a set by name and folder, and findings about them: see set_impl.h. */
#include "checked.h"
#include "set_impl.h"

/* -- findings -- */

void set_finding(struct set *s, uint32_t member, struct finding f)
{
	f.member = s->members[member].name;
	s->contradicts = s->contradicts || finding_info(f.code)->severity >= SEVERITY_HIGH;
	report_finding(s->in->report, &f);
}

/* Without a failure of the source or the arena it is the document that is none: a bug of who wrote it. */
bool set_stop(struct set *s)
{
	const struct source *src = s->in->src;
	const struct arena *a = s->in->arena;

	s->failed = true;
	if (src->err != SOURCE_OK && src->err != SOURCE_MEMORY)
		report_stop(s->in->report, source_cause(src->err), src->size, src->size);
	else if (src->err == SOURCE_MEMORY || a->exhausted)
		report_stop(s->in->report, WLK_CAUSE_LIMIT_MEMORY, a->used, a->budget);
	else
		report_stop(s->in->report, WLK_CAUSE_INTERNAL, 0, 0);
	return false;
}

/* -- names -- */

static struct bytes folder_of(struct bytes name)
{
	size_t n = name.n;

	while (n > 0 && name.at[n - 1] != '/')
		n--;
	return bytes_of(name.at, n);
}

struct bytes set_base(const struct set *s, uint32_t member)
{
	struct bytes name = s->members[member].name;
	size_t folder = folder_of(name).n;

	return bytes_of(name.at + folder, name.n - folder);
}

#define PATH_MAX_BYTES (SET_NAME_MAX + MANIFEST_PATH_MAX + 1)

/* Return: bytes of the path; 0 when the base name is none. */
static size_t join(const struct set *s, uint32_t folder, struct bytes base, uint8_t path[PATH_MAX_BYTES])
{
	struct bytes in = intern_text(&s->folders, folder);

	if (base.n == 0 || base.n > MANIFEST_PATH_MAX || memchr(base.at, '/', base.n) != NULL ||
	    memchr(base.at, '\\', base.n) != NULL)
		return 0;
	bytes_copy(path, in);
	bytes_copy(path + in.n, base);
	return in.n + base.n;
}

uint32_t set_find(const struct set *s, uint32_t folder, struct bytes base)
{
	uint8_t path[PATH_MAX_BYTES];
	size_t n = join(s, folder, base, path);
	uint32_t id = n > 0 ? intern_find(&s->names, bytes_of(path, n)) : INTERN_NONE;

	return id != INTERN_NONE ? s->names.list[id].value[0] : INTERN_NONE;
}

bool set_is_folder(const struct set *s, uint32_t folder, struct bytes base)
{
	uint8_t path[PATH_MAX_BYTES];
	size_t n = join(s, folder, base, path);

	if (n == 0)
		return false;
	path[n] = '/';
	return intern_find(&s->folders, bytes_of(path, n + 1)) != INTERN_NONE;
}

const struct value *set_fact(const struct set *s, uint32_t member, enum wlk_fact id)
{
	const struct set_member *m = &s->members[member];

	for (size_t i = 0; i < m->n_facts; i++)
		if (m->facts[i].id == id)
			return &m->facts[i].value;
	return NULL;
}

/* -- opening -- */

/* A name given twice is two files in one place: which one counts, nobody knows. */
static bool add_name(struct set *s, uint32_t member)
{
	size_t before = s->names.n;
	uint32_t id;

	if (!intern_add(&s->names, s->members[member].name, &id))
		return false;
	if (s->names.n > before)
		s->names.list[id].value[0] = member;
	else
		set_finding(s, member, (struct finding){ .code = WLK_F_INDEX_AMBIGUOUS_SET });
	if (!intern_add(&s->folders, folder_of(s->members[member].name), &s->places[member].folder))
		return false;
	s->folders.list[s->places[member].folder].value[1]++; /* how many it has */
	return true;
}

/* Counting sort: each folder's members side by side. */
static void sort_by_folder(struct set *s)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < s->folders.n; i++) {
		uint32_t n = s->folders.list[i].value[1];

		s->folders.list[i].value[0] = s->folders.list[i].value[1] = at;
		at += n;
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->by_folder[s->folders.list[s->places[i].folder].value[1]++] = i;
}

static uint64_t memory_for(const struct set_input *in)
{
	uint64_t bytes;

	if (!mul_u64(in->src->size, SET_MEMORY_PER_BYTE, &bytes) || !add_u64(bytes, SET_MEMORY_BASE, &bytes))
		bytes = UINT64_MAX;
	return min_u64(bytes, in->lim->memory);
}

bool set_open(struct set *s, const struct set_input *in)
{
	struct set_member *members;
	size_t n, budget;

	*s = (struct set){ .in = in };
	if (!size_from_u64(memory_for(in), &budget) || !mul_u64(in->src->size, SET_READINGS_MAX, &s->readings_left))
		return set_stop(s);
	arena_raise_budget(in->arena, budget);
	if (!set_document_read_head(in->src, in->arena, &members, &n))
		return set_stop(s);
	s->members = members;
	s->n = (uint32_t)n; /* SET_MEMBERS_MAX at most */
	s->places = arena_alloc(in->arena, n, sizeof(*s->places));
	s->by_folder = arena_alloc(in->arena, n, sizeof(*s->by_folder));
	intern_init(&s->names, in->arena, in->seed);
	intern_init(&s->folders, in->arena, in->seed);
	if (s->places == NULL || s->by_folder == NULL)
		return set_stop(s);
	for (uint32_t i = 0; i < s->n; i++)
		if (!add_name(s, i))
			return set_stop(s);
	sort_by_folder(s);
	return true;
}
