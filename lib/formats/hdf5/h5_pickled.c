/* Attributes that PyTables unpickles as it reads them: attributeset.py, __getattr__: a string of fixed length, longer than two bytes,
 * that ends in a dot.  Pandas writes lists and names so, which are data only. */
#include <string.h>

#include "guess.h"
#include "h5.h"
#include "judge.h"
#include "pickle_arrays.h"
#include "stream.h"

#define PICKLED_MAX 4096u /* attributes; a store of pandas has a dozen for each table */

/* No import without a line's end or a byte that is no letter: sentences end in dots, too. */
static bool may_act(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] >= 0x80 || text.at[i] == '\n')
			return true;
	return false;
}

static bool stopped(struct h5 *h)
{
	(void)layout_stop(h->l);
	h->stopped = true;
	return false;
}

/* Does it do anything, as far as it is a pickle? */
static bool guess(struct h5 *h, const struct stream *s, bool *ret_acts)
{
	struct pickle_guess g;
	enum stream_end end;

	if (!pickle_guess_begin(&g, h->l->arena, s->size, h->l->lim->opcodes, h->l->seed))
		return stopped(h);
	end = stream_preview(s, h->l->arena, (struct feeder){ .feed = pickle_guess_feed, .ctx = &g }, NULL);
	pickle_guess_end(&g);
	*ret_acts = g.acts;
	return end != STREAM_FAILED || stopped(h);
}

static bool judge(struct h5 *h, const struct stream *s)
{
	struct pickle_arrays *arrays = pickle_arrays_new(h->l, stream_origin(s), s->part.member);
	struct pickle_judge *j = pickle_judge_new(h->l->arena, &(struct pickle_judge_options){ .profile = PICKLE_PLAIN,
								   .extra = h->l->pickle_names,
								   .origin = stream_origin(s),
								   .member = s->part.member,
								   .report = h->l->report,
								   .seed = h->l->seed,
								   .size = s->size,
								   .opcodes_max = h->l->lim->opcodes,
								   .event = pickle_arrays_event,
								   .ctx = arrays });
	enum wlk_status status;

	if (j == NULL || arrays == NULL)
		return stopped(h);
	status = pickle_judge_stream(j, s, 0, h->l->arena);
	h->unsupported = h->unsupported || status == WLK_BROKEN;
	if (status != WLK_INCOMPLETE && pickle_arrays_check(arrays, s, true) != WLK_DONE)
		status = WLK_INCOMPLETE;
	h->stopped = h->stopped || status == WLK_INCOMPLETE;
	return status != WLK_INCOMPLETE;
}

bool h5_check_pickled(struct h5 *h, struct bytes text, uint64_t at)
{
	struct stream s = { .codec = CODEC_STORED };
	bool acts = false;

	while (text.n > 0 && text.at[text.n - 1] == 0)
		text.n--;
	if (text.n < 3 || text.at[text.n - 1] != '.' || !may_act(text))
		return true;
	if (h->n_pickled++ == PICKLED_MAX) {
		h5_unsupported(h, at, "many pickled attributes");
		return true;
	}
	s.part = part_range(&h->l->part, at, text.n);
	s.size = s.size_limit = text.n;
	layout_raise_memory(h->l, PICKLE_MEMORY_BASE + (uint64_t)text.n * PICKLE_MEMORY_PER_OPCODE);
	return guess(h, &s, &acts) && (!acts || judge(h, &s));
}
