/* Names a pickle may import beyond those built into the engine: packs, and the list a policy comes to. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "pickle_names.h"
#include "policy_impl.h"

#include "packs_table.h"

const char packs_known[] = PACKS_KNOWN;
const char *const policy_pack_names[] = { PACK_NAMES, NULL };

/* "@VERSION", or nothing: the newest. */
static bool read_version(const char *text, unsigned newest, unsigned *ret)
{
	unsigned version = 0;

	*ret = newest;
	if (*text == '\0')
		return true;
	if (*text++ != '@' || *text == '\0' || *text == '0')
		return false;
	for (; *text >= '0' && *text <= '9' && version <= newest; text++)
		version = 10 * version + (unsigned)(*text - '0');
	*ret = version;
	return *text == '\0' && version <= newest;
}

const struct pickle_pack *pack_by_name(const char *name, unsigned *ret_version)
{
	size_t n = strcspn(name, "@");

	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]); i++)
		if (strlen(packs[i].name) == n && memcmp(packs[i].name, name, n) == 0)
			return read_version(name + n, packs[i].version, ret_version) ? &packs[i] : NULL;
	return NULL;
}

/* By the names of both lines, whatever they are granted. */
static int compare_names(const char *a, const char *b)
{
	while (*a == *b && *a != '\0' && *a != ' ') {
		a++;
		b++;
	}
	return (*a == ' ' ? 0 : (uint8_t)*a) - (*b == ' ' ? 0 : (uint8_t)*b);
}

/* "module.name GRANT": is it this name's? */
static bool is_of_name(const char *line, struct bytes name)
{
	return strlen(line) > name.n && memcmp(line, name.at, name.n) == 0 && line[name.n] == ' ';
}

const char *pack_of_name(struct bytes name)
{
	for (size_t i = 0; i < sizeof(packs) / sizeof(packs[0]) && name.n > 0; i++)
		for (const struct pack_name *one = packs[i].names; one->line != NULL; one++)
			if (is_of_name(one->line, name))
				return packs[i].remedy;
	return NULL;
}

/* Where the name is, or belongs. */
static size_t place_of(const struct policy *p, const char *name)
{
	size_t low = 0, high = p->n_pickle_names;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_names(p->pickle_names[middle], name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

enum name_added policy_add_pickle_name(struct policy *p, const char *name)
{
	size_t at = place_of(p, name);

	if (at < p->n_pickle_names && compare_names(p->pickle_names[at], name) == 0)
		return NAME_THERE;
	if (p->pickle_names == NULL)
		p->pickle_names = arena_alloc(&p->arena, POLICY_PICKLE_NAMES_MAX, sizeof(*p->pickle_names));
	if (p->pickle_names == NULL || p->n_pickle_names == POLICY_PICKLE_NAMES_MAX ||
	    p->pickle_names_bytes + strlen(name) + 1 > PICKLE_NAMES_BYTES_MAX)
		return NAME_NO_ROOM;
	memmove(p->pickle_names + at + 1, p->pickle_names + at, (p->n_pickle_names - at) * sizeof(*p->pickle_names));
	p->pickle_names[at] = name;
	p->n_pickle_names++;
	p->pickle_names_bytes += strlen(name) + 1;
	return NAME_ADDED;
}

/* A verdict names its policy, and this one is not the one that others know by that name. */
static bool rename_policy(struct policy *p, const char *pack)
{
	char name[POLICY_NAME_MAX + 1];

	(void)snprintf(name, sizeof(name), "%.40s.%s", p->name, pack);
	p->name = policy_text(p, name);
	return p->name != NULL;
}

int policy_add_pack(struct policy *p, const char *name)
{
	unsigned version;
	const struct pickle_pack *pack = pack_by_name(name, &version);

	if (pack == NULL)
		return -ENOENT;
	for (const struct pack_name *one = pack->names; one->line != NULL; one++)
		if (one->since <= version && policy_add_pickle_name(p, one->line) == NAME_NO_ROOM)
			return -E2BIG;
	return rename_policy(p, pack->name) && policy_seal(p) ? 0 : -ENOMEM;
}

bool policy_seal_pickle_names(struct policy *p)
{
	char *lines = arena_alloc(&p->arena, p->pickle_names_bytes + 1, 1);
	size_t at = 0;

	if (lines == NULL)
		return false;
	for (size_t i = 0; i < p->n_pickle_names; i++) {
		size_t name_n = strlen(p->pickle_names[i]);

		memcpy(lines + at, p->pickle_names[i], name_n);
		lines[at + name_n] = '\n';
		at += name_n + 1;
	}
	p->pickle_lines = bytes_of(lines, at);
	return true;
}

struct bytes policy_pickle_names(const struct policy *p)
{
	return p->pickle_lines;
}
