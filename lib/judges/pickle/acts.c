/* Opcodes by which a loader runs code or changes what is there: each is an event, sent before anything that may be
 * wrong with its operands ends the walk, for a loader may already have acted.  Where the C and the Python reader differ
 * we go on as long as one of them does; see formats/pickle, section 3. */
#include "cost.h"

#define FROZEN_KEPT 64 /* items: more are not hashed, see hashes.c */

bool end_walk(struct pickle *p, enum pickle_end end)
{
	if (p->end == PICKLE_RUNNING)
		p->end = end;
	return false;
}

static void send(struct pickle *p, const struct pickle_event *e)
{
	if (p->options.event != NULL)
		p->options.event(p->options.ctx, p, e);
}

static struct pickle_event event(const struct pickle *p, enum pickle_act act)
{
	return (struct pickle_event){ .act = act,
		.opcode = p->op,
		.offset = p->op_offset,
		.target = PICKLE_NO_VALUE,
		.args = PICKLE_NO_VALUE,
		.kwargs = PICKLE_NO_VALUE,
		.key = PICKLE_NO_VALUE,
		.result = PICKLE_NO_VALUE };
}

void note(struct pickle *p, enum pickle_note n, uint64_t number)
{
	struct pickle_event e = event(p, PICKLE_ACT_NOTE);

	e.note = n;
	e.number = number;
	send(p, &e);
}

/* Ends the walk, unless what was seen so far is what a loader takes. */
static bool require(struct pickle *p, bool taken)
{
	return taken || end_walk(p, PICKLE_TYPE);
}

/* The event of an act with a result, which is made first so that the client can tag it. */
static bool send_result(
    struct pickle *p, struct pickle_event *e, enum pickle_kind kind, pickle_value first, pickle_value second)
{
	e->result = value_thing(p, kind, first, second);
	if (e->result == PICKLE_NO_VALUE) {
		e->result = handle(PICKLE_UNKNOWN, 0);
		send(p, e);
		return end_walk(p, PICKLE_LIMIT_MEMORY);
	}
	send(p, e);
	return true;
}

/* -- imports -- */

static bool send_import(struct pickle *p, pickle_value target)
{
	struct pickle_event e = event(p, PICKLE_ACT_IMPORT);

	if (!cost_work(p, target, PICKLE_NO_VALUE))
		return false;
	e.target = target != PICKLE_NO_VALUE ? target : handle(PICKLE_UNKNOWN, 0);
	send(p, &e);
	return push_new(p, target);
}

/* Imports module.name and pushes it.  Nothing has a name that long: it counts as one that nobody knows. */
static bool import(struct pickle *p, struct bytes module, struct bytes name)
{
	pickle_value m, n;

	if (module.n > NAME_MAX_BYTES || name.n > NAME_MAX_BYTES)
		return send_import(p, handle(PICKLE_UNKNOWN, 0));
	m = value_name(p, module);
	n = value_name(p, name);
	if (m == PICKLE_NO_VALUE || n == PICKLE_NO_VALUE)
		return send_import(p, PICKLE_NO_VALUE);
	/* Nothing has an empty name; but the module is imported before the name is missed. */
	return send_import(p, value_thing(p, PICKLE_GLOBAL, m, n)) &&
	       ((module.n > 0 && name.n > 0) || end_walk(p, PICKLE_ARGUMENT));
}

bool act_global(struct pickle *p, struct bytes module, struct bytes name)
{
	if (!utf8_whole(module.at, module.n) || !utf8_whole(name.at, name.n))
		return end_walk(p, PICKLE_ARGUMENT);
	if (!text_is_ascii(module) || !text_is_ascii(name))
		note(p, PICKLE_NOTE_NONASCII_STRING, 0);
	return import(p, module, name);
}

static bool is_text(enum pickle_kind k)
{
	return k == PICKLE_STR || is_opaque(k);
}

bool act_stack_global(struct pickle *p)
{
	pickle_value module, name;
	struct bytes m, n;
	uint64_t m_n, n_n;
	bool constant;

	if (!need(p, 2))
		return false;
	name = p->stack[--p->n];
	module = p->stack[--p->n];
	constant = kind_of(module) == PICKLE_STR && kind_of(name) == PICKLE_STR;
	if (!constant)
		return send_import(p, handle(PICKLE_UNKNOWN, 0)) &&
		       require(p, is_text(kind_of(module)) && is_text(kind_of(name)));
	if (!value_kept(p, module, &m, &m_n) || !value_kept(p, name, &n, &n_n)) {
		send_import(p, handle(PICKLE_UNKNOWN, 0));
		return end_walk(p, PICKLE_LIMIT_MEMORY);
	}
	if (m.n != m_n || n.n != n_n)
		return send_import(p, handle(PICKLE_UNKNOWN, 0)); /* longer than anything's name */
	return import(p, m, n);
}

/* -- calls -- */

/* frozenset([...]) is made of what the list holds now; the list may change. */
static pickle_value as_made(struct pickle *p, pickle_value target, pickle_value args)
{
	struct bytes module, name;
	pickle_value list, items[FROZEN_KEPT], set;
	uint64_t n;

	if (kind_of(target) != PICKLE_GLOBAL || args == PICKLE_NO_VALUE || kind_of(args) != PICKLE_TUPLE ||
	    pickle_count(p, args) != 1 || !pickle_global_mapped(p, target, &module, &name) ||
	    !bytes_equal(name, bytes_of_text("frozenset")))
		return args;
	list = pickle_item(p, args, 0);
	n = list != PICKLE_NO_VALUE && kind_of(list) == PICKLE_LIST ? pickle_count(p, list) : UINT64_MAX;
	if (n > FROZEN_KEPT)
		return args;
	for (uint64_t i = 0; i < n; i++)
		if ((items[i] = pickle_item(p, list, i)) == PICKLE_NO_VALUE)
			return args;
	set = value_tuple(p, PICKLE_FROZENSET, items, (uint32_t)n);
	return value_tuple(p, PICKLE_TUPLE, &set, 1);
}

/* target(*args): sends the event and pushes the result. */
static bool call(struct pickle *p, enum pickle_act act, pickle_value target, pickle_value args, pickle_value kwargs)
{
	struct pickle_event e = event(p, act);

	e.target = target;
	e.args = args;
	e.kwargs = kwargs;
	if (!cost_work(p, target, args))
		return false;
	value_traversed(p, args);
	cost_call(p, target, args, kwargs);
	literals_call(p, target, args);
	if (!send_result(p, &e, PICKLE_OBJECT, target, as_made(p, target, args)))
		return false;
	value_enlarge(p, e.result, cost_of_hash(p, target, args));
	return push(p, e.result) && require(p, is_opaque(kind_of(target)));
}

static bool is_tuple(pickle_value v)
{
	return kind_of(v) == PICKLE_TUPLE || is_opaque(kind_of(v));
}

/* Of anything but a tuple the Python reader takes what it iterates, the C reader refuses it. */
bool act_reduce(struct pickle *p)
{
	pickle_value target, args;

	if (!need(p, 2))
		return false;
	args = p->stack[--p->n];
	target = p->stack[--p->n];
	return call(p, PICKLE_ACT_CALL, target, args, PICKLE_NO_VALUE) && require(p, is_tuple(args));
}

bool act_newobj(struct pickle *p)
{
	pickle_value target, args;

	if (!need(p, 2))
		return false;
	args = p->stack[--p->n];
	target = p->stack[--p->n];
	return call(p, PICKLE_ACT_NEW, target, args, PICKLE_NO_VALUE) && require(p, is_tuple(args));
}

static bool is_keywords(const struct pickle *p, pickle_value v)
{
	pickle_value key, value;

	if (kind_of(v) != PICKLE_DICT)
		return is_opaque(kind_of(v));
	for (uint64_t i = 0; pickle_pair(p, v, i, &key, &value); i++)
		if (kind_of(key) != PICKLE_STR && !is_opaque(kind_of(key)))
			return false;
	return true;
}

bool act_newobj_ex(struct pickle *p)
{
	pickle_value target, args, kwargs;

	if (!need(p, 3))
		return false;
	kwargs = p->stack[--p->n];
	args = p->stack[--p->n];
	target = p->stack[--p->n];
	return call(p, PICKLE_ACT_NEW, target, args, kwargs) && require(p, is_tuple(args) && is_keywords(p, kwargs));
}

/* target(*items above from) */
static bool call_items(struct pickle *p, pickle_value target, uint32_t from, uint32_t bottom)
{
	pickle_value args = value_tuple(p, PICKLE_TUPLE, p->stack + from, p->n - from);

	p->n = bottom;
	return call(p, PICKLE_ACT_CALL, target, args, PICKLE_NO_VALUE);
}

bool act_obj(struct pickle *p)
{
	uint32_t from;

	if (!pop_mark(p, &from))
		return false;
	if (p->n == from)
		return end_walk(p, PICKLE_STACK_UNDERFLOW);
	return call_items(p, p->stack[from], from + 1, from);
}

/* The Python reader imports before it looks for the mark. */
bool act_inst(struct pickle *p, struct bytes module, struct bytes name)
{
	pickle_value target;
	uint32_t from;

	if (!text_is_ascii(module) || !text_is_ascii(name))
		return end_walk(p, PICKLE_ARGUMENT);
	if (!import(p, module, name))
		return false;
	target = p->stack[--p->n];
	return pop_mark(p, &from) && call_items(p, target, from, from);
}

/* -- state -- */

/* Data has neither __setstate__ nor __dict__: only where there is nothing to set does a reader go on. */
static bool is_no_state(const struct pickle *p, pickle_value v)
{
	if (kind_of(v) == PICKLE_TUPLE && pickle_count(p, v) == 2 && pickle_item(p, v, 0) != PICKLE_NO_VALUE)
		return value_falsy(p, pickle_item(p, v, 0)) && value_falsy(p, pickle_item(p, v, 1));
	return value_falsy(p, v) || is_opaque(kind_of(v));
}

/* A UUID is made of nothing, and hashes as the number that its state has. */
static void keep_number(struct pickle *p, pickle_value object, pickle_value state)
{
	pickle_value callee = kind_of(object) == PICKLE_OBJECT ? pickle_callee(p, object) : PICKLE_NO_VALUE, number;
	struct bytes module, name;

	if (callee != PICKLE_NO_VALUE && kind_of(state) == PICKLE_DICT &&
	    pickle_global_mapped(p, callee, &module, &name) && bytes_equal(name, bytes_of_text("UUID")) &&
	    pickle_lookup(p, state, "int", &number))
		thing_of(p, object)->second = value_tuple(p, PICKLE_TUPLE, &number, 1);
}

bool act_build(struct pickle *p)
{
	struct pickle_event e = event(p, PICKLE_ACT_BUILD);

	if (!need(p, 2))
		return false;
	e.args = p->stack[--p->n];
	e.target = p->stack[p->n - 1];
	if (!cost_work(p, e.target, e.args))
		return false;
	cost_build(p, e.args);
	value_traversed(p, e.args);
	value_enlarge(p, e.target, value_size(p, e.args));
	value_deepen(p, e.target, e.args);
	keep_number(p, e.target, e.args);
	send(p, &e);
	return require(p, is_opaque(kind_of(e.target)) || is_no_state(p, e.args));
}

/* -- items -- */

/* An event with the items as a tuple, which lives as long as the event. */
static void send_mutate(struct pickle *p, pickle_value target, uint32_t from)
{
	struct pickle_event e = event(p, PICKLE_ACT_MUTATE);

	e.target = target;
	e.args = value_tuple(p, PICKLE_TUPLE, p->stack + from, p->n - from);
	value_deepen(p, target, e.args);
	send(p, &e);
}

/* What carries a tag goes to the client with the key it is stored under. */
static void send_tagged(struct pickle *p, pickle_value target, uint32_t from)
{
	for (uint32_t i = from; i + 1 < p->n; i += 2) {
		struct pickle_event e;

		if (!is_thing(kind_of(p->stack[i + 1])) || pickle_tag(p, p->stack[i + 1]) == 0)
			continue;
		e = event(p, PICKLE_ACT_MUTATE);
		e.target = target;
		e.key = p->stack[i];
		e.args = p->stack[i + 1];
		send(p, &e);
	}
}

/* Pairs under keys that the client wants to see. */
static void send_wanted(struct pickle *p, pickle_value target, uint32_t from)
{
	struct bytes key;

	for (uint32_t i = from; p->options.wanted != NULL && i + 1 < p->n; i += 2) {
		struct pickle_event e;

		if (kind_of(p->stack[i]) != PICKLE_STR || !pickle_text(p, p->stack[i], &key) || !p->options.wanted(key))
			continue;
		e = event(p, PICKLE_ACT_ENTRY);
		e.target = target;
		e.key = p->stack[i];
		e.args = p->stack[i + 1];
		send(p, &e);
	}
}

static uint64_t known_count(const struct pickle *p, pickle_value container)
{
	uint64_t n = pickle_count(p, container);

	return n != UINT64_MAX ? n : 0;
}

/* Every step-th of the stack becomes a key of the container; is each one that can be? */
static bool hash_keys(struct pickle *p, pickle_value container, uint32_t from, uint32_t step)
{
	uint64_t count = known_count(p, container);
	bool hashable = true;

	for (uint32_t i = from; i < p->n && hashable; i += step) {
		pickle_value key = p->stack[i];

		hashable = is_scalar(kind_of(key)) || value_hashable(p, key);
		cost_key(p, container, key, ++count);
	}
	return hashable;
}

static bool all_hashable(struct pickle *p, pickle_value container, uint32_t from, uint32_t step)
{
	return hash_keys(p, container, from, step) || end_walk(p, PICKLE_TYPE);
}

/* Items behind `from` go to what lies below it. */
static bool has_target(struct pickle *p, uint32_t from)
{
	return from > p->fence || end_walk(p, PICKLE_STACK_UNDERFLOW);
}

bool act_append(struct pickle *p, uint32_t from)
{
	pickle_value target;
	uint32_t n = p->n - from;

	if (!has_target(p, from))
		return false;
	target = p->stack[from - 1];
	if (kind_of(target) == PICKLE_LIST) {
		value_add(p, target, p->stack + from, n);
	} else if (is_opaque(kind_of(target)) || kind_of(target) == PICKLE_BYTEARRAY) {
		send_mutate(p, target, from);
	} else if (n > 0) {
		return end_walk(p, PICKLE_TYPE); /* no data but lists and bytearrays has append() or extend() */
	}
	p->n = from;
	return true;
}

static bool is_index(const struct pickle *p, pickle_value list, pickle_value v)
{
	uint64_t count = kind_of(list) == PICKLE_LIST ? pickle_count(p, list) : UINT64_MAX;
	int64_t i;

	if (!pickle_int(p, v, &i))
		return kind_of(v) == PICKLE_BOOL || is_opaque(kind_of(v));
	return i >= 0 ? (uint64_t)i < count : (uint64_t) - (i + 1) < count;
}

/* list[index] = item: not what a pickler writes, but it works; with bytearrays too. */
static bool set_indexed(struct pickle *p, pickle_value target, uint32_t from)
{
	if (p->n == from)
		return true;
	for (uint32_t i = from; i < p->n; i += 2)
		cost_index(p, target, p->stack[i]);
	send_mutate(p, target, from);
	if (kind_of(target) == PICKLE_LIST)
		value_disorder(p, target, p->stack + from, p->n - from);
	for (uint32_t i = from; i < p->n; i += 2)
		if (!is_index(p, target, p->stack[i]))
			return end_walk(p, PICKLE_TYPE);
	return true;
}

bool act_setitem(struct pickle *p, uint32_t from)
{
	pickle_value target;
	uint32_t n = p->n - from;

	if (!has_target(p, from))
		return false;
	target = p->stack[from - 1];
	switch (kind_of(target)) {
	case PICKLE_DICT:
		if (n % 2 != 0)
			return end_walk(p, PICKLE_TYPE);
		if (!all_hashable(p, target, from, 2))
			return false;
		value_add(p, target, p->stack + from, n);
		break;
	case PICKLE_LIST:
	case PICKLE_BYTEARRAY:
		if (!set_indexed(p, target, from))
			return false;
		break;
	default:
		if (!is_opaque(kind_of(target)) && n > 0)
			return end_walk(p, PICKLE_TYPE);
		if (is_opaque(kind_of(target))) {
			send_mutate(p, target, from);
			(void)hash_keys(p, target, from, 2);
			for (uint32_t i = from; i < p->n; i += 2)
				cost_index(p, target, p->stack[i]);
		}
	}
	if (n % 2 != 0)
		return end_walk(p, PICKLE_TYPE);
	if (kind_of(target) == PICKLE_DICT || is_opaque(kind_of(target))) {
		send_tagged(p, target, from);
		send_wanted(p, target, from);
	}
	p->n = from;
	return true;
}

bool act_additems(struct pickle *p, uint32_t from)
{
	pickle_value target;

	if (!has_target(p, from))
		return false;
	target = p->stack[from - 1];
	if (kind_of(target) == PICKLE_SET) {
		if (!all_hashable(p, target, from, 1))
			return false;
		value_add(p, target, p->stack + from, p->n - from);
	} else if (is_opaque(kind_of(target))) {
		send_mutate(p, target, from);
		(void)hash_keys(p, target, from, 1);
	} else if (p->n > from) {
		return end_walk(p, PICKLE_TYPE);
	}
	p->n = from;
	return true;
}

bool act_dict(struct pickle *p)
{
	pickle_value dict;
	uint32_t from;

	if (!pop_mark(p, &from))
		return false;
	if ((p->n - from) % 2 != 0)
		return end_walk(p, PICKLE_TYPE);
	dict = value_growing(p, PICKLE_DICT);
	if (!all_hashable(p, dict, from, 2))
		return false;
	value_add(p, dict, p->stack + from, p->n - from);
	send_tagged(p, dict, from);
	send_wanted(p, dict, from);
	p->n = from;
	return push(p, dict);
}

bool act_frozenset(struct pickle *p)
{
	pickle_value set;
	uint32_t from;

	if (!pop_mark(p, &from))
		return false;
	set = value_tuple(p, PICKLE_FROZENSET, p->stack + from, p->n - from);
	if (!all_hashable(p, set, from, 1))
		return false;
	p->n = from;
	return push(p, set);
}

/* -- what only the surroundings can know -- */

bool act_persid(struct pickle *p, pickle_value id)
{
	struct pickle_event e = event(p, PICKLE_ACT_PERSID);

	e.target = id;
	return send_result(p, &e, PICKLE_PERSISTENT, id, PICKLE_NO_VALUE) && push(p, e.result);
}

bool act_ext(struct pickle *p, int64_t code)
{
	struct pickle_event e = event(p, PICKLE_ACT_EXT);

	e.args = value_int(p, code);
	if (!send_result(p, &e, PICKLE_EXTENSION, e.args, PICKLE_NO_VALUE))
		return false;
	return code > 0 ? push(p, e.result) : end_walk(p, PICKLE_ARGUMENT);
}

bool act_next_buffer(struct pickle *p)
{
	struct pickle_event e = event(p, PICKLE_ACT_BUFFER);

	send(p, &e);
	return push(p, handle(PICKLE_BUFFER, 0));
}

bool act_readonly_buffer(struct pickle *p)
{
	struct pickle_event e = event(p, PICKLE_ACT_BUFFER);
	enum pickle_kind k;

	if (!need(p, 1))
		return false;
	e.target = p->stack[p->n - 1];
	k = kind_of(e.target);
	send(p, &e);
	p->stack[p->n - 1] = handle(PICKLE_BUFFER, 0);
	return require(p, is_opaque(k) || k == PICKLE_BUFFER || k == PICKLE_BYTES || k == PICKLE_BYTEARRAY);
}

/* -- the end -- */

static uint8_t highest_protocol(const struct pickle *p)
{
	uint8_t highest = 0;

	for (unsigned op = 0; op < 256; op++)
		if (p->used[op] && pickle_opcode_rows[op].protocol > highest)
			highest = pickle_opcode_rows[op].protocol;
	return highest;
}

bool act_stop(struct pickle *p)
{
	struct pickle_event e = event(p, PICKLE_ACT_STOP);
	uint8_t highest = highest_protocol(p);

	if (!need(p, 1))
		return false;
	e.target = p->stack[--p->n];
	/* Protocol 1 is never announced. */
	if (highest > (p->protocol > 1 ? p->protocol : 1))
		note(p, PICKLE_NOTE_OPCODE_PROTOCOL, highest);
	if (p->frame_end > p->op_end)
		note(p, PICKLE_NOTE_FRAME, p->frame_end - p->op_end);
	if (p->n + p->n_marks > 0)
		note(p, PICKLE_NOTE_STACK_LEFTOVER, (uint64_t)p->n + p->n_marks);
	if (p->refused) {
		p->op_offset = p->refused_at;
		return end_walk(p, PICKLE_ARGUMENT);
	}
	p->end = PICKLE_STOPPED;
	send(p, &e);
	return true;
}
