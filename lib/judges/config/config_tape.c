/* Writes the tape of config_show.h.  Its memory is added to the scan's, so that who asks for calls changes nothing else. */
#include "config_tape.h"

#include <string.h>

#include "checked.h"

#define ENTRIES_FIRST 64u
#define ENTRIES_MAX 8192u
#define TEXTS_FIRST 1024u
#define TEXTS_MAX (256u << 10)

struct config_tape *config_tape_begin(struct layout *l)
{
	struct config_tape *t;

	if (!l->report->wants_calls)
		return NULL;
	layout_raise_memory(l, sizeof(*t));
	if (sizeof(*t) > l->arena->budget - l->arena->used)
		return NULL;
	t = arena_resize_raw(l->arena, NULL, 1, sizeof(*t));
	if (t == NULL)
		return NULL;
	memset(t, 0, sizeof(*t));
	t->l = l;
	t->open = TAPE_NONE;
	return t;
}

/* A refusal of the arena would count against the file. */
static bool grow(struct config_tape *t, void **at, uint32_t *room, uint32_t wanted, size_t size)
{
	uint64_t more = (uint64_t)(wanted - *room) * size;
	void *grown;

	layout_raise_memory(t->l, more);
	if ((uint64_t)wanted * size > t->l->arena->budget - t->l->arena->used)
		return false;
	grown = arena_resize_raw(t->l->arena, *at, wanted, size);
	if (grown == NULL)
		return false;
	*at = grown;
	*room = wanted;
	return true;
}

static bool has_room(struct config_tape *t)
{
	void *at = t->entries;
	bool ok = t->n < t->room ||
		  (t->n < ENTRIES_MAX &&
		      grow(t, &at, &t->room, t->room != 0 ? 2 * t->room : ENTRIES_FIRST, sizeof(t->entries[0])));

	t->entries = at;
	return ok;
}

static struct tape_text keep(struct config_tape *t, struct bytes b)
{
	struct tape_text kept = { .at = t->texts_n };
	void *at = t->texts;

	while (b.n > t->texts_room - t->texts_n && t->texts_room < TEXTS_MAX &&
	       grow(t, &at, &t->texts_room, t->texts_room != 0 ? 2 * t->texts_room : TEXTS_FIRST, 1))
		t->texts = at;
	kept.n = (uint32_t)min_u64(min_u64(b.n, CALL_STRING_MAX), t->texts_room - t->texts_n);
	kept.cut = kept.n < b.n;
	if (kept.n > 0)
		memcpy(t->texts + t->texts_n, b.at, kept.n);
	t->texts_n += kept.n;
	return kept;
}

static void add(struct config_tape *t, enum config_type type, struct bytes key, struct bytes text, uint64_t at)
{
	struct tape_entry e = { .at = at, .parent = t->open, .type = (uint8_t)type, .texts_n = t->texts_n };

	e.key = keep(t, key);
	e.text = keep(t, text);
	e.end = t->n + 1;
	t->entries[t->n++] = e;
}

void config_tape_take(struct config_tape *t, enum config_type type, struct bytes key, struct bytes text, uint64_t at)
{
	bool opens = type == CONFIG_MAP || type == CONFIG_LIST;
	struct tape_entry *around;

	if (t == NULL)
		return;
	if (t->skipped > 0) {
		t->skipped += opens ? 1 : 0;
		return;
	}
	around = t->open != TAPE_NONE ? &t->entries[t->open] : NULL;
	if (around != NULL)
		around->n++;
	if ((around != NULL && around->n > SHOWN_ENTRIES_MAX) || !has_room(t)) {
		if (around != NULL)
			around->cut = true;
		t->skipped += opens ? 1 : 0;
		return;
	}
	add(t, type, key, text, at);
	if (opens)
		t->open = t->n - 1;
}

void config_tape_close(struct config_tape *t)
{
	struct tape_entry *e;

	if (t == NULL || (t->skipped == 0 && t->open == TAPE_NONE))
		return;
	if (t->skipped > 0) {
		t->skipped--;
		return;
	}
	e = &t->entries[t->open];
	if (e->n > SHOWN_ENTRIES_MAX && e->parent != TAPE_NONE) { /* data: their room is needed */
		t->n = t->open + 1;
		t->texts_n = e->text.at + e->text.n;
	}
	e->end = t->n;
	t->open = e->parent;
}

void config_tape_again(struct config_tape *t, struct bytes key, uint64_t at)
{
	if (t == NULL)
		return;
	config_tape_take(t, CONFIG_MAP, key, bytes_of(NULL, 0), at);
	if (t->skipped == 0)
		t->entries[t->open].cut = true;
	config_tape_close(t);
}

/* What was told is kept beyond what becomes of the tape. */
void config_tape_told(struct config_tape *t, enum wlk_finding code, struct bytes found, uint64_t at)
{
	enum call_standing standing = config_call_standing(code);
	struct bytes b = bytes_of(found.at, (size_t)min_u64(found.n, CALL_STRING_MAX));
	uint8_t *copy;

	if (t == NULL || standing == CALL_ALLOWED || b.n == 0 || t->n_of[standing] == REPORT_CALLS_MAX)
		return;
	layout_raise_memory(t->l, b.n);
	if (b.n > t->l->arena->budget - t->l->arena->used)
		return;
	copy = arena_alloc(t->l->arena, b.n, 1);
	if (copy == NULL)
		return;
	bytes_copy(copy, b);
	t->n_of[standing]++;
	t->told[t->n_told++] = (struct tape_told){ code, bytes_of(copy, b.n), at };
}

static void report_told(const struct config_tape *t, const struct tape_told *told)
{
	struct layout *l = t->l;
	enum call_standing standing = config_call_standing(told->code);
	struct call_text text;

	if (!report_wants_call(l->report, standing))
		return;
	call_text_begin(&text);
	config_show_told(t, told, &text);
	report_call(l->report,
	    (struct call_record){
		.standing = standing, .offset = l->extents->origin + told->at, .member = l->extents->member },
	    &text);
}

/* Rules look where they like; loaders go from the first line to the last. */
static void sort_told(struct config_tape *t)
{
	for (unsigned i = 1; i < t->n_told; i++) {
		struct tape_told one = t->told[i];
		unsigned j = i;

		for (; j > 0 && t->told[j - 1].at > one.at; j--)
			t->told[j] = t->told[j - 1];
		t->told[j] = one;
	}
}

void config_tape_end(struct config_tape *t)
{
	if (t == NULL)
		return;
	while (t->open != TAPE_NONE)
		config_tape_close(t);
	sort_told(t);
	for (unsigned i = 0; i < t->n_told; i++)
		report_told(t, &t->told[i]);
	arena_release(t->l->arena, t->entries);
	arena_release(t->l->arena, t->texts);
	arena_release(t->l->arena, t);
}

void config_show_alone(struct layout *l, enum wlk_finding code, struct bytes found, uint64_t at)
{
	struct config_tape nothing = { .l = l };

	if (config_call_standing(code) != CALL_ALLOWED && found.n > 0 && l->report->wants_calls)
		report_told(&nothing, &(struct tape_told){ code, found, at });
}
