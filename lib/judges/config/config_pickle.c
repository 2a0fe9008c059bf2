/* See config_pickle.h. */
#include "config_pickle.h"

#include "config_impl.h"

#define CLASSES_MAX 64u /* dicts with `module`, `class` or under `architecture`; a checkpoint has one */

/* A dict that may name a class: both keys, and the key that it is under, come in any order. */
struct class_dict {
	pickle_value dict;
	bool below; /* `architecture` */
	struct bytes module, name;
	uint64_t at;
};

struct config_pickle_state {
	struct layout l;       /* of the pickle: its own offsets and path ... */
	struct extents places; /* ... which are all that these say */
	struct config *config;
	struct class_dict classes[CLASSES_MAX];
	unsigned n;
};

bool config_pickle_wants(struct bytes key)
{
	return key.n >= 5 && key.n <= 29 &&
	       config_is_word_of(key,
		   "_target_ _instantiator _class_path class_path _component_ module class architecture "
		   "conv_feature_layers extractor_conv_feature_layers adam_betas");
}

static bool begin(struct config_pickle *c)
{
	struct config_pickle_state *s = arena_alloc(c->l->arena, 1, sizeof(*s));

	if (s == NULL)
		return false;
	s->l = *c->l;
	s->places = (struct extents){ .origin = c->origin, .member = c->member };
	s->l.extents = &s->places;
	s->l.family = CONFIG_NONE;
	s->l.of_set = false;
	s->n = 0;
	s->config = config_begin(&s->l);
	if (s->config == NULL)
		return false;
	config_open(s->config, CONFIG_MAP, config_no_key, 0);
	c->state = s;
	return true;
}

/* Texts are the machine's and go with it. */
static struct bytes keep(struct config_pickle *c, struct bytes text)
{
	uint8_t *copy = text.n > 0 ? arena_alloc(c->l->arena, text.n, 1) : NULL;

	if (copy == NULL) {
		c->failed = c->failed || text.n > 0;
		return bytes_of(NULL, 0);
	}
	bytes_copy(copy, text);
	return bytes_of(copy, text.n);
}

/* NULL: there are too many; what no class is said of needs none. */
static struct class_dict *class_of(struct config_pickle_state *s, pickle_value dict)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->classes[i].dict == dict)
			return &s->classes[i];
	if (s->n == CLASSES_MAX)
		return NULL;
	s->classes[s->n] = (struct class_dict){ .dict = dict };
	return &s->classes[s->n++];
}

/* pyannote/audio/core/model.py: getattr(import_module(architecture["module"]), architecture["class"]). */
static void tell_class(struct config_pickle *c, struct class_dict *d)
{
	uint8_t name[2 * CONFIG_NAME_MAX + 1];

	if (!d->below || d->module.n == 0 || d->name.n == 0)
		return;
	bytes_copy(name, d->module);
	name[d->module.n] = '.';
	bytes_copy(name + d->module.n + 1, d->name);
	config_import_vouched(c->state->config, bytes_of(name, d->module.n + 1 + d->name.n), "pyannote.*",
	    bytes_of_text("architecture"), d->at);
	d->module = bytes_of(NULL, 0);
}

static void take_class(struct config_pickle *c, const struct pickle *p, const struct pickle_event *e, struct bytes key)
{
	bool above = bytes_equal(key, bytes_of_text("architecture"));
	pickle_value dict = above ? e->args : e->target;
	enum pickle_kind kind = pickle_kind(p, dict);
	struct class_dict *d = NULL;
	struct bytes text;

	if (kind == PICKLE_DICT || kind == PICKLE_OBJECT)
		d = class_of(c->state, dict);
	if (d == NULL)
		return;
	if (above)
		d->below = true;
	else if (!pickle_text(p, e->args, &text) || text.n > CONFIG_NAME_MAX)
		return;
	else if (bytes_equal(key, bytes_of_text("module")))
		d->module = keep(c, text);
	else
		d->name = keep(c, text);
	d->at = e->offset;
	tell_class(c, d);
}

static void take_entry(struct config_pickle *c, const struct pickle *p, const struct pickle_event *e)
{
	struct bytes key, text;

	if (!pickle_text(p, e->key, &key))
		return;
	if (config_is_word_of(key, "module class architecture"))
		take_class(c, p, e, key);
	else if (pickle_text(p, e->args, &text))
		config_value(c->state->config, CONFIG_TEXT, (struct config_text){ key, false },
		    (struct config_text){ text, false }, e->offset);
}

void config_pickle_event(struct config_pickle *c, const struct pickle *p, const struct pickle_event *e)
{
	if (c->failed)
		return;
	if (e->act == PICKLE_ACT_ENTRY) {
		if (c->state == NULL && !begin(c))
			c->failed = true;
		else
			take_entry(c, p, e);
	} else if (e->act == PICKLE_ACT_STOP && c->state != NULL) {
		if (config_end(c->state->config) == WLK_INCOMPLETE)
			c->failed = true;
		c->state = NULL;
	}
}
