/* A configuration from one process to another: texts, each with its NUL.  What was decided once (which user a name is,
 * how many processors there are) goes as its result, so that nothing is decided twice. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config_impl.h"

#define WORD_POLICY "policies" /* NAME FILE */
#define WORD_TENANT "tenants"  /* NAME, and then its limits until WORD_END: KEY VALUE */
#define WORD_END ""            /* no key has this name */

static void put_text(const char *text, FILE *to)
{
	fputs(text, to);
	putc('\0', to);
}

static void put_value(const struct key *k, const void *base, FILE *to)
{
	put_text(k->name, to);
	key_show(k, base, to);
	putc('\0', to);
}

static void put_ids(const struct key *k, const struct config_ids *ids, FILE *to)
{
	for (size_t i = 0; i < ids->n; i++) {
		put_text(k->name, to);
		fprintf(to, "%u", ids->list[i]);
		putc('\0', to);
	}
}

static void put_tenant(const struct config_tenant *t, FILE *to)
{
	put_text(WORD_TENANT, to);
	put_text(t->name, to);
	for (size_t i = 0; i < config_n_tenant_keys; i++) {
		if (key_tenant_has(&config_tenant_keys[i], t))
			put_value(&config_tenant_keys[i], t, to);
	}
	put_text(WORD_END, to);
}

void config_pack(const struct config *c, FILE *to)
{
	for (size_t i = 0; i < config_n_keys; i++) {
		const struct key *k = &config_keys[i];

		if (key_is_list(k))
			put_ids(k, (const struct config_ids *)(const void *)((const char *)c + k->offset), to);
		else if (k->type != KEY_POLICIES && k->type != KEY_TENANTS)
			put_value(k, c, to);
	}
	for (size_t i = 0; i < c->n_policies; i++) {
		put_text(WORD_POLICY, to);
		put_text(c->policies[i].name, to);
		put_text(c->policies[i].file, to);
	}
	for (size_t i = 0; i < c->n_tenants; i++)
		put_tenant(&c->tenants[i], to);
	put_text(WORD_END, to);
}

const char *packed_text(struct packed *p)
{
	const char *text = p->at, *end = memchr(text, '\0', p->n);

	if (end == NULL)
		return NULL;
	p->n -= (size_t)(end - text) + 1;
	p->at = end + 1;
	return text;
}

static const struct key *key_of(const struct key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(keys[i].name, name) == 0)
			return &keys[i];
	}
	return NULL;
}

static int take_tenant(struct config *c, const char *name, struct packed *p)
{
	const char *word, *value;
	struct config_tenant *t;
	int r = config_add_tenant(c, name, &t);

	while (r == 0 && (word = packed_text(p)) != NULL) {
		const struct key *k = key_of(config_tenant_keys, config_n_tenant_keys, word);

		if (strcmp(word, WORD_END) == 0)
			return 0;
		value = packed_text(p);
		r = k && value != NULL ? key_set_tenant(k, t, value) : -EINVAL;
	}
	return r < 0 ? r : -EINVAL;
}

static int take_word(struct config *c, const char *word, struct packed *p)
{
	const struct key *k = key_of(config_keys, config_n_keys, word);
	const char *value = packed_text(p), *file;

	if (k == NULL || value == NULL)
		return -EINVAL;
	if (k->type == KEY_TENANTS)
		return take_tenant(c, value, p);
	if (k->type != KEY_POLICIES)
		return key_set(k, c, value);
	file = packed_text(p);
	return file != NULL ? config_add_policy(c, value, file) : -EINVAL;
}

int config_unpack(struct packed *p, struct config *ret)
{
	const char *word;
	int r = 0;

	*ret = (struct config){ 0 };
	while (r == 0 && (word = packed_text(p)) != NULL) {
		if (strcmp(word, WORD_END) == 0)
			return 0;
		r = take_word(ret, word, p);
	}
	config_done(ret);
	return r < 0 ? r : -EINVAL;
}
