/* Attributes that are pickles: PyTables (and pandas' HDFStore, which is made of it) gives a text of more than two bytes that ends
 * with a full stop, trailing zeros aside, to pickle.loads() (tables/attributeset.py, AttributeSet.__getattr__).  What does not
 * walk as a pickle that acts is the text it seems to be. */
#include <string.h>

#include "guess.h"
#include "h5.h"
#include "judge.h"
#include "member.h"

/* A pickle that imports or calls, as far as a walk over data alone tells; @text is all of it. */
static bool acts(struct h5 *h, struct bytes text)
{
	struct pickle_guess g;

	if (!pickle_guess_begin(&g, h->l->arena, text.n, h->l->lim->opcodes, h->l->seed)) {
		(void)layout_stop(h->l);
		return h->stopped = true;
	}
	(void)pickle_guess_feed(&g, text.at, text.n, 0);
	pickle_guess_end(&g);
	return g.acts || (g.whole && g.imports);
}

static bool judge(struct h5 *h, struct bytes text, uint64_t at)
{
	const struct pickle_judge_options options = { .profile = PICKLE_PLAIN,
		.extra = h->l->pickle_names,
		.origin = part_offset(&h->l->part, at),
		.member = h->l->part.member,
		.report = h->l->report,
		.seed = h->l->seed,
		.size = text.n,
		.opcodes_max = h->l->lim->opcodes };
	struct stream s = { .part = h->l->part, .codec = CODEC_STORED, .size = text.n, .size_limit = text.n };
	struct pickle_judge *j = pickle_judge_new(h->l->arena, &options);
	enum wlk_status status;

	s.part.copy = text.at;
	s.part.size = text.n;
	status = j != NULL ? pickle_judge_stream(j, &s, 0, h->l->arena) : layout_stop(h->l);
	h->stopped = h->stopped || status == WLK_INCOMPLETE;
	return status != WLK_INCOMPLETE;
}

bool h5_judge_pickled(struct h5 *h, struct bytes text, uint64_t at)
{
	while (text.n > 0 && text.at[text.n - 1] == 0) /* NumPy's strings end there */
		text.n--;
	if (text.n <= 2 || text.at[text.n - 1] != '.')
		return true;
	layout_raise_memory(h->l, PICKLE_MEMORY_BASE);
	h->config_bytes += text.n;
	if (h->config_bytes > h->l->part.size)
		return h5_break(h, WLK_F_H5_LIMIT, at, "attributes");
	if (!acts(h, text))
		return true;
	return !h->stopped && judge(h, text, at);
}
