/* Programs that configurations name: formats/configs, section 1.2.  A configuration says which files of its folder a loader would
 * run; what is there has a verdict of its own and is code of the repository, what is not may come later. */
#include "set_impl.h"

#define PROGRAMS_MAX 1024u /* a fact has no room for more */

/* As loaders join it: the configuration's folder, and the place. */
static uint32_t find_program(const struct set *s, uint32_t member, struct bytes place)
{
	uint8_t path[SET_NAME_MAX + REPORT_STRING_MAX];
	struct bytes folder = set_folder(s, member);

	bytes_copy(path, folder);
	bytes_copy(path + folder.n, place);
	return intern_find(&s->names, bytes_of(path, folder.n + place.n));
}

static void judge_program(struct set *s, uint32_t member, struct bytes place)
{
	uint32_t id = find_program(s, member, place), program;

	program = id != INTERN_NONE ? s->names.list[id].value[0] : INTERN_NONE;
	if (program == INTERN_NONE || s->members[program].state == SET_MEMBER_LINK ||
	    s->members[program].state == SET_MEMBER_SPECIAL)
		set_finding(s, member, (struct finding){ .code = WLK_F_CONFIG_CODE_MISSING, .subject = place });
	else
		set_finding(
		    s, program, (struct finding){ .code = WLK_F_REPO_CODE, .subject = s->members[member].name });
}

static void judge_member(struct set *s, uint32_t member)
{
	const struct value *v = set_fact(s, member, WLK_FACT_CONFIG_CODE);
	struct bytes rest = v != NULL && v->kind == VALUE_TEXT ? v->text : bytes_of(NULL, 0);

	for (unsigned i = 0; i < PROGRAMS_MAX && rest.n > 0; i++) {
		const uint8_t *end = memchr(rest.at, '\n', rest.n);
		size_t n = end != NULL ? (size_t)(end - rest.at) : rest.n;

		judge_program(s, member, bytes_of(rest.at, n));
		n += end != NULL;
		rest = bytes_of(rest.at + n, rest.n - n);
	}
}

bool set_judge_configs(struct set *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		judge_member(s, i);
	return true;
}
