/* A set of files against each other: see set.h. */
#include "set_impl.h"

/* Every index of a folder, then what lies beside them. */
static bool judge_folder(struct set *s, uint32_t folder)
{
	const struct interned *range = &s->folders.list[folder];
	uint32_t begin = range->value[0], end = range->value[1], indexes = 0;

	for (uint32_t i = begin; i < end; i++) {
		if (!set_is_index(&s->members[s->by_folder[i]]))
			continue;
		if (!set_judge_index(s, s->by_folder[i], indexes++ == 0))
			return false;
	}
	return indexes == 0 || set_judge_folder(s, folder);
}

static bool judge_folders(struct set *s)
{
	for (uint32_t i = 0; i < s->folders.n; i++)
		if (!judge_folder(s, i))
			return false;
	return true;
}

enum wlk_status sets_judge(const struct set_input *in)
{
	struct set s;

	if (!set_open(&s, in) || !judge_folders(&s) || !set_judge_splits(&s) || !set_judge_externals(&s) ||
	    !set_judge_bundles(&s) || !set_judge_configs(&s) || !set_judge_tfjs(&s))
		return WLK_INCOMPLETE;
	return s.contradicts ? WLK_BROKEN : WLK_DONE;
}
