/* What a pickle calls, in the words of Python, for whoever asked for it: os.system("id").  A value is shown as it is when the
 * call is made.  Work is bounded by the text's length, for every value leaves something in it; depth by SHOWN_DEPTH. */
#include "judge_impl.h"
#include "opcodes.h"

#define SHOWN_DEPTH 16

struct showing {
	const struct pickle *p;
	struct call_text *t;
	unsigned depth;
};

static void show_value(struct showing *s, pickle_value v);

/* -- the parts -- */

static void show_string(struct showing *s, pickle_value v)
{
	bool array = pickle_kind(s->p, v) == PICKLE_BYTEARRAY;
	struct bytes head;
	uint64_t n;

	call_text_put(s->t, array ? "bytearray(" : "");
	if (pickle_beginning(s->p, v, &head, &n))
		call_text_string(s->t, head, n, pickle_kind(s->p, v) == PICKLE_STR);
	else
		call_text_cut(s->t);
	call_text_put(s->t, array ? ")" : "");
}

static void show_int(struct showing *s, pickle_value v)
{
	int64_t n;

	if (pickle_int(s->p, v, &n))
		call_text_integer(s->t, n);
	else
		call_text_cut(s->t);
}

static void show_float(struct showing *s, pickle_value v)
{
	double d;

	if (pickle_float(s->p, v, &d))
		call_text_float(s->t, d);
	else
		call_text_cut(s->t);
}

static void show_global(struct showing *s, pickle_value v)
{
	struct bytes module, name;

	if (!pickle_global_mapped(s->p, v, &module, &name))
		return;
	if (!bytes_equal(module, bytes_of_text("builtins"))) {
		call_text_name(s->t, module);
		call_text_put(s->t, ".");
	}
	call_text_name(s->t, name);
}

/* Between commas, as far as they are kept. */
static void show_items(struct showing *s, pickle_value v)
{
	uint64_t n = pickle_count(s->p, v);

	for (uint64_t i = 0; i < n && !s->t->full; i++) {
		pickle_value item = pickle_item(s->p, v, i);

		call_text_put(s->t, i > 0 ? ", " : "");
		if (item == PICKLE_NO_VALUE) {
			call_text_cut(s->t);
			return;
		}
		show_value(s, item);
	}
}

/* {key: value}, or key=value. */
static void show_pairs(struct showing *s, pickle_value dict, bool keywords)
{
	uint64_t n = pickle_count(s->p, dict);

	for (uint64_t i = 0; i < n && !s->t->full; i++) {
		pickle_value key, value;
		struct bytes text;

		call_text_put(s->t, i > 0 ? ", " : "");
		if (!pickle_pair(s->p, dict, i, &key, &value)) {
			call_text_cut(s->t);
			return;
		}
		if (keywords && pickle_text(s->p, key, &text)) {
			call_text_name(s->t, text);
			call_text_put(s->t, "=");
		} else {
			show_value(s, key);
			call_text_put(s->t, ": ");
		}
		show_value(s, value);
	}
}

static void show_between(struct showing *s, const char *open, pickle_value v, const char *close)
{
	call_text_put(s->t, open);
	if (pickle_kind(s->p, v) == PICKLE_DICT)
		show_pairs(s, v, false);
	else
		show_items(s, v);
	call_text_put(s->t, close);
}

/* (args), *args when it is none of the machine's tuples. */
static void show_arguments(struct showing *s, pickle_value args, pickle_value keywords)
{
	call_text_put(s->t, "(");
	if (args != PICKLE_NO_VALUE && pickle_kind(s->p, args) == PICKLE_TUPLE) {
		show_items(s, args);
	} else {
		call_text_put(s->t, "*");
		show_value(s, args);
	}
	if (keywords != PICKLE_NO_VALUE && pickle_kind(s->p, keywords) == PICKLE_DICT &&
	    pickle_count(s->p, keywords) > 0) {
		call_text_put(s->t, pickle_count(s->p, args) > 0 ? ", " : "");
		show_pairs(s, keywords, true);
	}
	call_text_put(s->t, ")");
}

static void show_object(struct showing *s, pickle_value v)
{
	show_value(s, pickle_callee(s->p, v));
	show_arguments(s, pickle_call_arguments(s->p, v), PICKLE_NO_VALUE);
}

static void show_inside(struct showing *s, pickle_value v)
{
	switch (pickle_kind(s->p, v)) {
	case PICKLE_TUPLE: show_between(s, "(", v, pickle_count(s->p, v) == 1 ? ",)" : ")"); break;
	case PICKLE_LIST: show_between(s, "[", v, "]"); break;
	case PICKLE_DICT: show_between(s, "{", v, "}"); break;
	case PICKLE_SET: show_between(s, "set([", v, "])"); break;
	case PICKLE_FROZENSET: show_between(s, "frozenset([", v, "])"); break;
	case PICKLE_OBJECT: show_object(s, v); break;
	case PICKLE_PERSISTENT:
		call_text_put(s->t, "persistent_load(");
		show_value(s, pickle_persistent_id(s->p, v));
		call_text_put(s->t, ")");
		break;
	default: call_text_cut(s->t); break;
	}
}

static void show_value(struct showing *s, pickle_value v)
{
	bool truth;

	if (s->depth == SHOWN_DEPTH) {
		call_text_cut(s->t);
		return;
	}
	s->depth++;
	switch (pickle_kind(s->p, v)) {
	case PICKLE_NONE: call_text_put(s->t, "None"); break;
	case PICKLE_BOOL: call_text_put(s->t, pickle_bool(s->p, v, &truth) && truth ? "True" : "False"); break;
	case PICKLE_INT: show_int(s, v); break;
	case PICKLE_FLOAT: show_float(s, v); break;
	case PICKLE_STR:
	case PICKLE_BYTES:
	case PICKLE_BYTEARRAY: show_string(s, v); break;
	case PICKLE_GLOBAL: show_global(s, v); break;
	case PICKLE_EXTENSION: call_text_put(s->t, "copyreg.extension"); break;
	default: show_inside(s, v); break;
	}
	s->depth--;
}

/* -- the acts -- */

static const char *method_of(const struct pickle_event *e)
{
	switch (e->opcode) {
	case OP_BUILD: return ".__setstate__";
	case OP_APPEND:
	case OP_APPENDS: return ".extend";
	case OP_ADDITEMS: return ".update";
	default: return ".__setitem__";
	}
}

static void show_act(struct showing *s, const struct pickle_event *e)
{
	bool call = e->act == PICKLE_ACT_CALL || e->act == PICKLE_ACT_NEW;

	show_value(s, e->target);
	call_text_put(s->t, e->act == PICKLE_ACT_NEW ? ".__new__" : call ? "" : method_of(e));
	call_text_callee(s->t);
	if (call) {
		show_arguments(s, e->args, e->kwargs);
	} else {
		call_text_put(s->t, "(");
		show_value(s, e->args);
		call_text_put(s->t, ")");
	}
}

/* copyreg._reconstructor(subprocess.Popen, object, None) */
static bool is_handed_danger(const struct pickle_judge *j, pickle_value args)
{
	for (uint64_t i = 0; i < pickle_count(j->machine, args) && i < PICKLE_ITEMS_KEPT; i++) {
		pickle_value v = pickle_item(j->machine, args, i);

		if (v != PICKLE_NO_VALUE && pickle_kind(j->machine, v) == PICKLE_GLOBAL &&
		    pickle_global_standing(j->machine, v, j->o.extra).tier == PICKLE_TIER_DENIED)
			return true;
	}
	return false;
}

/* What the tables do not vouch for is doubtful, whatever is said about it where it was imported. */
static enum call_standing standing_of(
    const struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s, bool call)
{
	if (call && (s->tier == PICKLE_TIER_DENIED || is_handed_danger(j, e->args)))
		return CALL_DANGEROUS;
	if (call && j->worst == CALL_ALLOWED && s->tier != PICKLE_TIER_WEIGHTS && s->tier != PICKLE_TIER_DATA &&
	    s->tier != PICKLE_TIER_EXTRA && s->tier != PICKLE_TIER_CONTEXT)
		return CALL_DOUBTFUL;
	return j->worst;
}

/* Objects of what is allowed are given their states by the thousand: of these only what was found fault with. */
void judge_show(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	bool call = e->act == PICKLE_ACT_CALL || e->act == PICKLE_ACT_NEW;
	enum call_standing standing = standing_of(j, e, s, call);
	struct call_text t;
	struct showing showing = { .p = j->machine, .t = &t };

	if (!call && (standing == CALL_ALLOWED || (e->act != PICKLE_ACT_BUILD && e->act != PICKLE_ACT_MUTATE)))
		return;
	if (!report_wants_call(j->o.report, standing))
		return;
	call_text_begin(&t);
	show_act(&showing, e);
	report_call(j->o.report,
	    (struct call_record){ .standing = standing, .offset = j->o.origin + e->offset, .member = j->o.member }, &t);
	if (standing != CALL_ALLOWED)
		judge_disassemble(j);
}
