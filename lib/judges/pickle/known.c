/* Implements known.h by binary search in tables that names.py makes from names.tsv. */
#include "known.h"

#include <string.h>

#define NAMES_DENIED_DEPTH_MAX 4 /* components of the longest denied path; names.py checks */
#define PATH_BYTES_MAX 2048      /* of module and name together; longer ones name nothing */

struct pickle_name {
	const char *module, *name;
	struct pickle_standing standing;
};

struct denied_path {
	const char *path, *does;
	bool root; /* an ordinary word: in the module part it counts at the root only */
	bool ref;  /* a class that acts only when it is called */
};

#include "names_table.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* A dotted path, cut into components. */
struct path {
	uint8_t text[PATH_BYTES_MAX];
	size_t n;
	size_t begin[PICKLE_PATH_COMPONENTS_MAX], end[PICKLE_PATH_COMPONENTS_MAX];
	size_t n_components, n_module; /* of which so many belong to the module */
};

static struct pickle_standing standing(enum pickle_tier tier, const char *does)
{
	return (struct pickle_standing){ .tier = tier, .uses = ~0u, .rule = PICKLE_RULE_NONE, .does = does };
}

/* -- paths -- */

static int compare(struct bytes a, const char *text)
{
	size_t n = strlen(text);
	int order = memcmp(a.at, text, a.n < n ? a.n : n);

	return order != 0 ? order : (a.n > n) - (a.n < n);
}

/* False when there are too many components to be a name of anything. */
static bool path_add(struct path *p, struct bytes dotted)
{
	size_t begin = p->n;

	bytes_copy(p->text + p->n, dotted);
	p->n += dotted.n;
	for (size_t i = begin; i <= p->n; i++) {
		if (i < p->n && p->text[i] != '.')
			continue;
		if (p->n_components == PICKLE_PATH_COMPONENTS_MAX)
			return false;
		p->begin[p->n_components] = begin;
		p->end[p->n_components++] = i;
		begin = i + 1;
	}
	return true;
}

static bool path_of(struct path *p, struct bytes module, struct bytes name)
{
	p->n = p->n_components = 0;
	if (module.n > PATH_BYTES_MAX / 2 - 1 || name.n > PATH_BYTES_MAX / 2 || !path_add(p, module))
		return false;
	p->n_module = p->n_components;
	p->text[p->n++] = '.';
	return path_add(p, name);
}

static struct bytes path_cut(const struct path *p, size_t first, size_t n_components)
{
	return bytes_of(p->text + p->begin[first], p->end[first + n_components - 1] - p->begin[first]);
}

static bool is_dunder(struct bytes c)
{
	return c.n > 4 && memcmp(c.at, "__", 2) == 0 && memcmp(c.at + c.n - 2, "__", 2) == 0;
}

/* __main__.Net: a class of the script that saved it.  Whoever loads it has one of that name or gets an error; of __main__
 * nothing else is known, and behind it lies whatever the script imported. */
static bool is_of_main(const struct path *p)
{
	return p->n_module == 1 && p->n_components == 2 && compare(path_cut(p, 0, 1), "__main__") == 0 &&
	       !is_dunder(path_cut(p, 1, 1));
}

static bool holds_dunder(const struct path *p)
{
	for (size_t i = 0; i < p->n_components; i++)
		if (is_dunder(path_cut(p, i, 1)))
			return true;
	return false;
}

/* -- tables -- */

static const struct denied_path *denied_find(struct bytes path)
{
	size_t low = 0, high = COUNT(names_denied);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(path, names_denied[middle].path);

		if (order == 0)
			return &names_denied[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Any run of components: torch.serialization.os.system reaches os as well as os.system does. */
static const struct denied_path *path_denied(const struct path *p)
{
	for (size_t i = 0; i < p->n_components; i++) {
		for (size_t n = 1; n <= NAMES_DENIED_DEPTH_MAX && n <= p->n_components - i; n++) {
			const struct denied_path *d = denied_find(path_cut(p, i, n));

			if (d != NULL && (!d->root || i == 0 || i >= p->n_module))
				return d;
		}
	}
	return NULL;
}

/* A reference to the class itself, and to nothing behind it. */
static struct pickle_standing standing_denied(const struct denied_path *d, const struct path *p)
{
	struct pickle_standing s = standing(PICKLE_TIER_DENIED, d->does);

	s.root = d->root;
	if (d->ref && compare(bytes_of(p->text, p->n), d->path) == 0)
		s.uses = PICKLE_USE_REF;
	return s;
}

/* First row at or after (module, name). */
static size_t known_at(struct bytes module, struct bytes name)
{
	size_t low = 0, high = COUNT(names_known);

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(module, names_known[middle].module);

		if (order == 0)
			order = compare(name, names_known[middle].name);
		if (order <= 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static const struct pickle_name *known_find(struct bytes module, struct bytes name)
{
	size_t at = known_at(module, name);

	if (at == COUNT(names_known) || compare(module, names_known[at].module) != 0 ||
	    compare(name, names_known[at].name) != 0)
		return NULL;
	return &names_known[at];
}

static bool module_is_known(struct bytes module)
{
	size_t at = known_at(module, bytes_of("", 0));

	return at < COUNT(names_known) && compare(module, names_known[at].module) == 0;
}

static bool has_empty_component(const struct path *p)
{
	for (size_t i = 0; i < p->n_components; i++)
		if (p->begin[i] == p->end[i])
			return true;
	return false;
}

/* By what the policy grants; NULL: nothing. */
static const struct pickle_standing *standing_granted(
    const struct pickle_names *extra, struct bytes module, struct bytes name)
{
#define MADE (PICKLE_USE_REF | PICKLE_USE_NEW | PICKLE_USE_BUILD)
	static const struct pickle_standing granted[] = {
		[PICKLE_GRANT_ANY] = { PICKLE_TIER_EXTRA, ~0u, PICKLE_RULE_NONE, NULL },
		[PICKLE_GRANT_VALUE] = { PICKLE_TIER_EXTRA, PICKLE_USE_REF, PICKLE_RULE_NONE, NULL },
		[PICKLE_GRANT_OBJECT] = { PICKLE_TIER_EXTRA, MADE, PICKLE_RULE_OBJECT, NULL },
		[PICKLE_GRANT_ITEMS] = { PICKLE_TIER_EXTRA, MADE | PICKLE_USE_SETITEM, PICKLE_RULE_OBJECT, NULL },
		[PICKLE_GRANT_CALL] = { PICKLE_TIER_EXTRA, MADE | PICKLE_USE_CALL, PICKLE_RULE_GRANTED_CALL, NULL },
		[PICKLE_GRANT_MEMBER] = { PICKLE_TIER_EXTRA, PICKLE_USE_REF | PICKLE_USE_CALL, PICKLE_RULE_MEMBER,
		    NULL },
	};
	enum pickle_grant grant = extra != NULL ? pickle_names_grant(extra, module, name) : PICKLE_GRANT_NONE;

	return grant != PICKLE_GRANT_NONE ? &granted[grant] : NULL;
#undef MADE
}

struct pickle_standing pickle_name_standing(struct bytes module, struct bytes name, const struct pickle_names *extra)
{
	const struct denied_path *denied;
	const struct pickle_name *known;
	const struct pickle_standing *granted;
	struct path p;

	if (!path_of(&p, module, name))
		return standing(PICKLE_TIER_DENIED, "hides what it names");
	known = known_find(module, name);
	/* Not of what the tables know for good: such a pickle is the same to every policy. */
	granted =
	    known == NULL || known->standing.tier == PICKLE_TIER_REVIEW ? standing_granted(extra, module, name) : NULL;
	/* Known one by one: a denied word on the way to it would mislead. */
	if (known != NULL && known->standing.tier == PICKLE_TIER_REVIEW)
		return granted != NULL ? *granted : known->standing;
	denied = path_denied(&p);
	if (denied != NULL)
		return standing_denied(denied, &p);
	if (is_of_main(&p))
		return granted != NULL ? *granted : standing(PICKLE_TIER_UNKNOWN, NULL);
	if (holds_dunder(&p))
		return standing(PICKLE_TIER_DENIED, "reaches into Python's own workings");
	if (has_empty_component(&p))
		return standing(PICKLE_TIER_INVALID, NULL);
	if (known != NULL)
		return known->standing;
	if (p.n_components > p.n_module + 1 && module_is_known(module))
		return standing(PICKLE_TIER_DENIED, "reaches through a module into what it imported");
	return granted != NULL ? *granted : standing(PICKLE_TIER_UNKNOWN, NULL);
}
