/* Operator sets and functions of an ONNX model: rules 2, 15, 17 and 18 of formats/onnx, and which domains are custom.
 * What a node calls is only known when all functions are: calls are kept, and judged after the walk. */
#include <string.h>

#include "checked.h"
#include "onnx.h"
#include "onnx_operators.h"

#define ONNX_EXPANDED_MAX (UINT64_C(1) << 20) /* nodes of a model: runtimes write its functions out */

/* A function that the model defines, and where its calls are among all of them. */
struct defined {
	struct scoped_name id;
	struct onnx_word name;
	uint64_t at;
	uint32_t first_call, n_calls;
	uint64_t expanded; /* nodes when it is written out, as far as ONNX_EXPANDED_MAX */
	uint32_t next;     /* call to follow next, while the graph of calls is searched */
	uint8_t state;     /* 0: not seen, 1: on the path, 2: done */
	uint8_t
	    height; /* functions that are open when the deepest it leads to is, itself included; at most ONNX_CALL_DEPTH_MAX + 1 */
};

/* A node whose operator is not known: which function should be there. */
struct custom_call {
	struct scoped_name id;
	uint64_t at;
	uint32_t domain; /* index into used */
};

struct onnx_functions {
	struct defined *list;
	uint32_t n, room;
	struct scoped_name *calls; /* of the functions' nodes, in order */
	uint32_t n_calls, calls_room, calls_begin;
	struct onnx_domain used[ONNX_DOMAINS_MAX]; /* by any node: is it custom? */
	unsigned n_used;
	struct custom_call *customs;
	uint32_t n_customs, customs_room;
	bool too_many; /* domains: told once */
};

bool onnx_functions_init(struct onnx *o)
{
	o->functions = arena_alloc(o->l->arena, 1, sizeof(*o->functions));
	return o->functions != NULL;
}

/* -- operator sets -- */

static bool is_standard(const struct onnx_word *domain)
{
	return onnx_domain_is_standard(onnx_word_bytes(domain));
}

/* "" and "ai.onnx" are the same. */
static struct scoped_name domain_id(const struct onnx_word *domain)
{
	return onnx_word_is(domain, "ai.onnx") ? (struct scoped_name){ 0 } : domain->id;
}

static bool same_domain(const struct onnx_word *a, const struct onnx_word *b)
{
	return onnx_id_equal(domain_id(a), domain_id(b));
}

static struct onnx_domain *find_domain(struct onnx_domain *list, unsigned n, const struct onnx_word *name)
{
	for (unsigned i = 0; i < n; i++) {
		if (same_domain(&list[i].name, name))
			return &list[i];
	}
	return NULL;
}

static void say_too_many(struct onnx *o, uint64_t at)
{
	if (!o->functions->too_many)
		onnx_value(o, WLK_F_ONNX_LIMIT, at, bytes_of_text("domain"), ONNX_DOMAINS_MAX + 1, ONNX_DOMAINS_MAX);
	o->functions->too_many = true;
}

#define OPSET_VERSION_MAX 1000u

void onnx_unit_import(struct onnx *o, struct onnx_unit *u, const struct onnx_domain *d)
{
	const struct onnx_domain *known = find_domain(u->imported, u->n_imported, &d->name);
	struct bytes name = onnx_word_bytes(&d->name);

	if (d->version == 0 || d->version > OPSET_VERSION_MAX)
		onnx_value(o, WLK_F_ONNX_OPSET_VERSION, d->at, name, d->version, OPSET_VERSION_MAX);
	if (known != NULL)
		onnx_value(o, known->version == d->version ? WLK_F_ONNX_OPSET_REPEATED : WLK_F_ONNX_OPSET_DUPLICATE,
		    d->at, name, d->version, known->version);
	else if (u->n_imported < ONNX_DOMAINS_MAX)
		u->imported[u->n_imported++] = *d;
	else
		say_too_many(o, d->at);
}

static void note(struct onnx *o, struct onnx_domain *list, unsigned *n, const struct onnx_word *domain, uint64_t at)
{
	if (find_domain(list, *n, domain) != NULL)
		return;
	if (*n < ONNX_DOMAINS_MAX)
		list[(*n)++] = (struct onnx_domain){ .name = *domain, .at = at };
	else
		say_too_many(o, at);
}

void onnx_unit_use(struct onnx *o, struct onnx_unit *u, const struct onnx_word *domain, uint64_t at)
{
	note(o, u->used, &u->n_used, domain, at);
	note(o, o->functions->used, &o->functions->n_used, domain, at);
}

/* Rule 15.  Models of before IR 3 import nothing. */
void onnx_unit_end(struct onnx *o, struct onnx_unit *u)
{
	if (o->has_ir && o->ir_version < 3)
		return;
	for (unsigned i = 0; i < u->n_used; i++) {
		const struct onnx_domain *d = &u->used[i];

		if (find_domain(u->imported, u->n_imported, &d->name) == NULL)
			onnx_at(o, WLK_F_ONNX_DOMAIN_UNIMPORTED, d->at, onnx_word_bytes(&d->name));
	}
}

/* -- functions -- */

struct scoped_name onnx_function_id(
    const struct onnx *o, const struct onnx_word *domain, const struct onnx_word *name, struct scoped_name overload)
{
	struct scoped_name parts[3] = { domain_id(domain), name->id, overload };

	return scoped_name_of(&o->names, bytes_of(parts, sizeof(parts)), 1);
}

static bool keep_custom(
    struct onnx *o, const struct onnx_word *domain, const struct onnx_word *op, struct scoped_name id, uint64_t at)
{
	struct onnx_functions *f = o->functions;
	const struct onnx_domain *used = find_domain(f->used, f->n_used, domain);

	if (op->n == 0 || used == NULL || onnx_operator_is_known(onnx_word_bytes(domain), onnx_word_bytes(op)))
		return true;
	if (f->n_customs == f->customs_room) {
		uint32_t room = f->customs_room > 0 ? f->customs_room * 2 : 64;
		struct custom_call *customs = arena_resize_raw(o->l->arena, f->customs, room, sizeof(*customs));

		if (customs == NULL)
			return onnx_stop(o);
		f->customs = customs;
		f->customs_room = room;
	}
	f->customs[f->n_customs++] = (struct custom_call){ id, at, (uint32_t)(used - f->used) };
	return true;
}

bool onnx_function_call(
    struct onnx *o, const struct onnx_word *domain, const struct onnx_word *op, struct scoped_name id, uint64_t at)
{
	struct onnx_functions *f = o->functions;

	if (!keep_custom(o, domain, op, id, at))
		return false;
	if (o->unit != &o->function_unit)
		return true;
	if (f->n_calls == f->calls_room) {
		uint32_t room = f->calls_room > 0 ? f->calls_room * 2 : 256;
		struct scoped_name *calls = arena_resize_raw(o->l->arena, f->calls, room, sizeof(*calls));

		if (calls == NULL)
			return onnx_stop(o);
		f->calls = calls;
		f->calls_room = room;
	}
	f->calls[f->n_calls++] = id;
	return true;
}

void onnx_function_attribute(struct onnx *o, const struct onnx_function *f, struct scoped_name id, uint64_t at)
{
	struct scoped_name name = scoped_name_of(&o->names, bytes_of(&id, sizeof(id)), UINT64_C(1) << 62 | f->at);

	if (scoped_names_find(&o->names, name, 1u << SCOPED_KEY, f->base) != NULL)
		onnx_at(o, WLK_F_ONNX_ATTRIBUTE_DUPLICATE, at, (struct bytes){ 0 });
	else
		scoped_names_add(&o->names, name, SCOPED_KEY, at);
}

static struct defined *add_function(struct onnx *o)
{
	struct onnx_functions *f = o->functions;

	if (f->n == f->room) {
		uint32_t room = f->room > 0 ? f->room * 2 : 64;
		struct defined *list = arena_resize(o->l->arena, f->list, room, sizeof(*list));

		if (list == NULL)
			return NULL;
		f->list = list;
		f->room = room;
	}
	return &f->list[f->n++];
}

bool onnx_function_end(struct onnx *o, struct onnx_level *v)
{
	struct onnx_functions *f = o->functions;
	const struct onnx_function *fn = &v->function;
	struct defined *d = f->n < ONNX_FUNCTIONS_MAX ? add_function(o) : NULL;

	if (f->n == ONNX_FUNCTIONS_MAX && d == NULL) {
		onnx_value(o, WLK_F_ONNX_FUNCTION_COUNT, fn->at, onnx_word_bytes(&fn->name), ONNX_FUNCTIONS_MAX + 1,
		    ONNX_FUNCTIONS_MAX);
		return false;
	}
	if (d == NULL)
		return onnx_stop(o);
	d->id = onnx_function_id(o, &fn->domain, &fn->name, fn->overload);
	d->height = 1;
	d->name = fn->name;
	d->at = fn->at;
	d->first_call = f->calls_begin;
	d->n_calls = f->n_calls - f->calls_begin;
	d->expanded = (uint64_t)d->n_calls + 1;
	f->calls_begin = f->n_calls;
	if (is_standard(&fn->domain))
		onnx_at(o, WLK_F_ONNX_FUNCTION_SHADOW, fn->at, onnx_word_bytes(&fn->name));
	onnx_unit_end(o, &o->function_unit);
	o->unit = &o->model;
	return onnx_scope_end(o, fn->base, 0, true);
}

/* -- after the walk -- */

/* Functions by id, in the table of names, which is empty after the walk; `at` is their number. */
static void index_functions(struct onnx *o)
{
	for (uint32_t i = 0; i < o->functions->n; i++) {
		const struct defined *d = &o->functions->list[i];

		if (scoped_names_find(&o->names, d->id, 1u << SCOPED_KEY, 0) != NULL)
			onnx_at(o, WLK_F_ONNX_FUNCTION_DUPLICATE, d->at, onnx_word_bytes(&d->name));
		else
			scoped_names_add(&o->names, d->id, SCOPED_KEY, i);
	}
}

/* Operators that are no function of the model: told once for a domain. */
static void check_custom_domains(struct onnx *o)
{
	const struct onnx_functions *f = o->functions;
	bool told[ONNX_DOMAINS_MAX] = { false };

	for (uint32_t i = 0; i < f->n_customs; i++) {
		const struct custom_call *c = &f->customs[i];
		struct bytes domain;

		if (told[c->domain] || scoped_names_find(&o->names, c->id, 1u << SCOPED_KEY, 0) != NULL)
			continue;
		domain = onnx_word_bytes(&f->used[c->domain].name);
		onnx_at(o, WLK_F_ONNX_CUSTOM_DOMAIN, c->at, domain.n > 0 ? domain : bytes_of_text("ai.onnx"));
		told[c->domain] = true;
	}
}

/* The next function that d calls, or NULL when it calls no more. */
static struct defined *next_called(struct onnx *o, struct defined *d)
{
	struct onnx_functions *f = o->functions;

	while (d->next < d->n_calls) {
		const struct scoped_entry *e =
		    scoped_names_find(&o->names, f->calls[d->first_call + d->next++], 1u << SCOPED_KEY, 0);

		if (e != NULL)
			return &f->list[e->at];
	}
	return NULL;
}

static void raise_height(struct onnx *o, struct defined *caller, const struct defined *called)
{
	uint64_t expanded =
	    called->expanded > ONNX_EXPANDED_MAX ? called->expanded : caller->expanded + called->expanded;
	uint8_t height = called->height > ONNX_CALL_DEPTH_MAX ? called->height : (uint8_t)(called->height + 1);

	if (expanded > ONNX_EXPANDED_MAX && caller->expanded <= ONNX_EXPANDED_MAX &&
	    called->expanded <= ONNX_EXPANDED_MAX)
		onnx_value(
		    o, WLK_F_ONNX_LIMIT, caller->at, onnx_word_bytes(&caller->name), expanded, ONNX_EXPANDED_MAX);
	if (caller->expanded <= ONNX_EXPANDED_MAX)
		caller->expanded = expanded;
	if (height <= caller->height)
		return;
	caller->height = height;
	if (called->height == ONNX_CALL_DEPTH_MAX)
		onnx_value(o, WLK_F_ONNX_FUNCTION_DEPTH, caller->at, onnx_word_bytes(&caller->name), caller->height,
		    ONNX_CALL_DEPTH_MAX);
}

/* Depth first from one function, with a stack of our own.  Rule 17. */
static void search(struct onnx *o, struct defined *from, struct defined **stack)
{
	uint32_t n = 1;

	stack[0] = from;
	from->state = 1;
	while (n > 0) {
		struct defined *top = stack[n - 1], *called = next_called(o, top);

		if (called == NULL) {
			top->state = 2;
			if (--n > 0)
				raise_height(o, stack[n - 1], top);
		} else if (called->state == 1) {
			onnx_at(o, WLK_F_ONNX_FUNCTION_CYCLE, called->at, onnx_word_bytes(&called->name));
		} else if (called->state == 2) {
			raise_height(o, top, called);
		} else {
			called->state = 1;
			stack[n++] = called;
		}
	}
}

bool onnx_functions_finish(struct onnx *o)
{
	struct onnx_functions *f = o->functions;
	struct defined **stack = arena_alloc(o->l->arena, f->n, sizeof(*stack));

	if (stack == NULL)
		return onnx_stop(o);
	scoped_names_cut(&o->names, 0);
	onnx_unit_end(o, &o->model);
	index_functions(o);
	if (o->names.failed)
		return onnx_stop(o);
	check_custom_domains(o);
	for (uint32_t i = 0; i < f->n; i++) {
		if (f->list[i].state == 0)
			search(o, &f->list[i], stack);
	}
	return true;
}
