/* Programs that configurations name: formats/configs, section 1.2.  A configuration says which files of its folder a loader would
 * run; what is there has a verdict of its own and is code of the repository, what is not may come later. */
#include "set_impl.h"

#define PROGRAMS_MAX 1024u /* a fact has no room for more */

static bool is_climb(struct bytes place)
{
	return place.n > 3 && memcmp(place.at, "../", 3) == 0;
}

/* @folder: ends with a slash, as the one around it does; nothing: the set's own. */
static struct bytes folder_above(struct bytes folder)
{
	do
		folder.n--;
	while (folder.n > 0 && folder.at[folder.n - 1] != '/');
	return folder;
}

/* As loaders join it: the configuration's folder, and the place.  One above the set's is none of its members. */
static uint32_t find_program(const struct set *s, uint32_t member, struct bytes place)
{
	uint8_t path[SET_NAME_MAX + REPORT_STRING_MAX];
	struct bytes folder = set_folder(s, member);

	for (; is_climb(place) && folder.n > 0; place = bytes_of(place.at + 3, place.n - 3))
		folder = folder_above(folder);
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

static bool is_text(const struct value *v, const char *text)
{
	return v != NULL && v->kind == VALUE_TEXT && bytes_equal(v->text, bytes_of_text(text));
}

/* "yaml x.yaml": the file was judged as what it is for itself, and is read as what @member is: a list in a text of HyperPyYAML's, or
 * an address in a text that pip is told to read. */
static void judge_include(struct set *s, uint32_t member, struct bytes line)
{
	const uint8_t *blank = memchr(line.at, ' ', line.n);
	size_t n = blank != NULL ? (size_t)(blank - line.at) : line.n;
	bool pip = bytes_equal(bytes_of(line.at, n), bytes_of_text("pip"));
	uint32_t id = blank != NULL ? find_program(s, member, bytes_of(blank + 1, line.n - n - 1)) : INTERN_NONE;
	struct finding f = { .subject = s->members[member].name };
	const struct value *fault;

	if (id == INTERN_NONE)
		return;
	fault = set_fact(s, s->names.list[id].value[0], WLK_FACT_CONFIG_IF_INCLUDED);
	if (pip ? is_text(fault, "pip") : is_text(fault, "python") || is_text(fault, "yaml")) {
		f.code = pip                        ? WLK_F_CONFIG_REQUIREMENT
			 : is_text(fault, "python") ? WLK_F_YAML_PYTHON_TAG
						    : WLK_F_CONFIG_YAML_TAG;
		set_finding(s, s->names.list[id].value[0], f);
	}
}

/* A fact of lines: each goes to @judge. */
static void judge_lines(struct set *s, uint32_t member, enum wlk_fact fact,
    void (*judge)(struct set *s, uint32_t member, struct bytes line))
{
	const struct value *v = set_fact(s, member, fact);
	struct bytes rest = v != NULL && v->kind == VALUE_TEXT ? v->text : bytes_of(NULL, 0);

	for (unsigned i = 0; i < PROGRAMS_MAX && rest.n > 0; i++) {
		const uint8_t *end = memchr(rest.at, '\n', rest.n);
		size_t n = end != NULL ? (size_t)(end - rest.at) : rest.n;

		judge(s, member, bytes_of(rest.at, n));
		n += end != NULL;
		rest = bytes_of(rest.at + n, rest.n - n);
	}
}

bool set_judge_configs(struct set *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		judge_lines(s, i, WLK_FACT_CONFIG_CODE, judge_program);
		judge_lines(s, i, WLK_FACT_CONFIG_INCLUDES, judge_include);
	}
	return true;
}
