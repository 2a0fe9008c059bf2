/* Implements judge.h: one event in, findings out.  The rules are those of formats/pickle, section 4; each act is judged
 * when a loader would perform it, so nothing that comes later (POP, STOP, a broken end) takes anything back. */
#include <string.h>

#include "checked.h"
#include "judge_impl.h"
#include "opcodes.h"
#include "state.h"
#include "weights_only.h"
#include "torch_calls.h"
#include "torchscript.h"

#define SUBJECT_MAX REPORT_STRING_MAX

/* -- findings -- */

/* What would run runs only where the loader is told to unpickle. */
static struct value only_if(const struct pickle_judge *j, enum wlk_finding code)
{
	if (j->o.only == NULL || code != WLK_F_PICKLE_CALL_DANGEROUS)
		return (struct value){ 0 };
	return value_text(bytes_of_text(j->o.only));
}

void judge_report(
    struct pickle_judge *j, enum wlk_finding code, uint64_t offset, struct bytes subject, struct value found)
{
	enum finding_severity severity = finding_info(code)->severity;

	if (severity >= SEVERITY_MEDIUM && j->worst < CALL_DANGEROUS)
		j->worst = severity >= SEVERITY_CRITICAL ? CALL_DANGEROUS : CALL_DOUBTFUL;
	if (!report_wants(j->o.report, code)) {
		report_count(j->o.report, code);
		return;
	}
	report_finding(j->o.report, &(struct finding){ .code = code,
					.has_offset = true,
					.offset = j->o.origin + offset, /* both inside one file */
					.subject = subject,
					.member = j->o.member,
					.found = found,
					.allowed = only_if(j, code) });
}

/* The opcode is what the reader of a verdict finds at the offset. */
static void report_act(
    struct pickle_judge *j, enum wlk_finding code, const struct pickle_event *e, struct bytes subject)
{
	judge_report(j, code, e->offset, subject, value_text(bytes_of_text(pickle_opcode_rows[e->opcode].name)));
}

static size_t append(uint8_t *buf, size_t n, struct bytes text)
{
	size_t room = SUBJECT_MAX - n, taken = text.n < room ? text.n : room;

	if (taken > 0)
		memcpy(buf + n, text.at, taken);
	return n + taken;
}

/* "module.name" as Python 3 knows it; empty when the value is no global. */
static struct bytes name_in(const struct pickle *p, pickle_value global, uint8_t buf[SUBJECT_MAX])
{
	struct bytes module, name;
	size_t n;

	if (global == PICKLE_NO_VALUE || pickle_kind(p, global) != PICKLE_GLOBAL ||
	    !pickle_global_mapped(p, global, &module, &name))
		return bytes_of(buf, 0);
	n = append(buf, 0, module);
	n = append(buf, n, bytes_of_text("."));
	return bytes_of(buf, append(buf, n, name));
}

static struct bytes name_of(const struct pickle_judge *j, pickle_value global, uint8_t buf[SUBJECT_MAX])
{
	return name_in(j->machine, global, buf);
}

static uint64_t hash_of(const struct pickle_judge *j, struct bytes name)
{
	return siphash13(name.at, name.n, &j->o.seed) | 1; /* 0: a free slot */
}

/* Where it is, or would be. */
static size_t slot_of(const struct pickle_judge *j, uint64_t hash)
{
	size_t i = (size_t)(hash >> 32) & (JUDGE_NAMES_SEEN - 1);

	while (j->seen[i] != 0 && j->seen[i] != hash)
		i = (i + 1) & (JUDGE_NAMES_SEEN - 1);
	return i;
}

/* The first time this name is met?  Says yes too often rather than too rarely. */
static bool is_new_name(struct pickle_judge *j, struct bytes name)
{
	uint64_t hash = hash_of(j, name);
	size_t i = slot_of(j, hash);

	if (j->seen[i] == hash)
		return false;
	if (j->n_seen < JUDGE_NAMES_SEEN / 2) {
		j->seen[i] = hash;
		j->n_seen++;
	}
	return true;
}

enum pickle_repeat pickle_judge_repeats(const struct pickle_judge *j, const struct pickle *p, pickle_value global)
{
	uint8_t buf[SUBJECT_MAX];
	uint64_t hash = hash_of(j, name_in(p, global, buf));

	if (pickle_kind(p, global) == PICKLE_GLOBAL && j->seen[slot_of(j, hash)] == hash)
		return PICKLE_REPEAT_SEEN;
	return pickle_global_standing(p, global, NULL).tier == PICKLE_TIER_DENIED ? PICKLE_REPEAT_DENIED
										  : PICKLE_REPEAT_NEW;
}

static struct pickle_context context_of(struct pickle_judge *j, const struct pickle_event *e)
{
	return (struct pickle_context){ .machine = j->machine,
		.event = e,
		.profile = j->o.profile,
		.extra = j->o.extra,
		.classes = &j->classes,
		.dtypes = &j->dtypes,
		.states = &j->states,
		.lengths = &j->lengths,
		.bound = j->o.bound,
		.bound_ctx = j->o.ctx };
}

/* -- imports -- */

/* What the table lets a pickle call, and nothing else: getattr() as a value is anything to whoever calls it later.  torch's
 * functions are handed to one of them, whose arguments have a rule of their own. */
static bool is_callee_only(const struct pickle_standing *s)
{
	return (s->tier == PICKLE_TIER_WEIGHTS || s->tier == PICKLE_TIER_DATA || s->tier == PICKLE_TIER_CONTEXT) &&
	       (s->uses & PICKLE_USE_REF) == 0 && s->rule != PICKLE_RULE_REBUILD &&
	       s->rule != PICKLE_RULE_REBUILD_FROM_TYPE;
}

static void judge_import(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	uint8_t buf[SUBJECT_MAX];
	struct bytes name = name_of(j, e->target, buf);

	j->summary.imports++;
	if (pickle_kind(j->machine, e->target) != PICKLE_GLOBAL) {
		report_act(j, WLK_F_PICKLE_GLOBAL_DYNAMIC, e, name);
		return;
	}
	if (is_callee_only(s))
		pickle_mark(j->machine, e->target, PICKLE_MARK_CALLEE);
	if (!is_new_name(j, name))
		return;
	switch (s->tier) {
	case PICKLE_TIER_DENIED:
		if (s->uses == PICKLE_USE_REF) { /* only a call of it acts */
			report_act(j, WLK_F_PICKLE_GLOBAL_UNKNOWN, e, name);
			break;
		}
		judge_report(j, WLK_F_PICKLE_GLOBAL_DANGEROUS, e->offset, name, value_text(bytes_of_text(s->does)));
		break;
	case PICKLE_TIER_INVALID: report_act(j, WLK_F_PICKLE_GLOBAL_NAME, e, name); break;
	case PICKLE_TIER_UNKNOWN:
	case PICKLE_TIER_REVIEW: report_act(j, WLK_F_PICKLE_GLOBAL_UNKNOWN, e, name); break;
	case PICKLE_TIER_WEIGHTS:
	case PICKLE_TIER_DATA:
	case PICKLE_TIER_EXTRA:
	case PICKLE_TIER_CONTEXT: report_act(j, WLK_F_PICKLE_GLOBAL_ALLOWED, e, name); break;
	}
}

/* -- calls -- */

/* The first text among the arguments: of most dangerous calls it is what matters. */
static struct value text_argument(const struct pickle_judge *j, const struct pickle_event *e)
{
	struct bytes text;

	for (uint64_t i = 0; i < pickle_count(j->machine, e->args) && i < PICKLE_ITEMS_KEPT; i++) {
		pickle_value v = pickle_item(j->machine, e->args, i);

		if (v != PICKLE_NO_VALUE && pickle_text(j->machine, v, &text))
			return value_text(text);
	}
	return (struct value){ 0 };
}

/* An instance, or a global whose name is written as classes' names are. */
static bool is_classy(const struct pickle *p, pickle_value owner)
{
	struct bytes module, name;

	if (!pickle_global(p, owner, &module, &name))
		return pickle_kind(p, owner) == PICKLE_OBJECT;
	return name.n > 0 && name.at[0] >= 'A' && name.at[0] <= 'Z' && memchr(name.at, '.', name.n) == NULL;
}

/* What getattr() reaches, as a path: of a class or module by its name, of an instance by the attribute alone.  A private
 * name of a module is what the module imported (random._os); of a class or an instance it is a method, as in the
 * states of torch's OneCycleLR.  Python's own names lead from anywhere to everywhere. */
static bool reaches_danger(const struct pickle *p, pickle_value owner, struct bytes path, struct bytes attribute)
{
	struct pickle_standing s = pickle_name_standing(path, attribute, NULL);
	bool private = attribute.at[0] == '_', own = attribute.n > 1 && private && attribute.at[1] == '_';

	return s.tier == PICKLE_TIER_DENIED || s.tier == PICKLE_TIER_INVALID || own ||
	       (private && !is_classy(p, owner)) || memchr(attribute.at, '.', attribute.n) != NULL;
}

static void report_attribute(struct pickle_judge *j, enum wlk_finding code, const struct pickle_event *e,
    struct bytes owner, struct bytes attribute)
{
	uint8_t buf[SUBJECT_MAX];
	size_t n = append(buf, 0, owner);

	n = append(buf, n, bytes_of_text("."));
	report_act(j, code, e, bytes_of(buf, append(buf, n, attribute)));
}

/* The operator's policy names it, without saying for what. */
static bool is_own_class(const struct pickle_context *c, pickle_value owner)
{
	struct pickle_standing s = pickle_global_standing(c->machine, owner, c->extra);

	return s.tier == PICKLE_TIER_EXTRA && s.rule == PICKLE_RULE_NONE && (s.uses & PICKLE_USE_CALL) != 0;
}

/* getattr(class, "NAME") is how Python 3.11 saves an Enum's member; getattr(module, "os") is an import.  The policy that
 * allows a class allows its members; what they are used for is judged as ever. */
static void judge_getattr(struct pickle_judge *j, const struct pickle_event *e)
{
	pickle_value owner = pickle_item(j->machine, e->args, 0), key = pickle_item(j->machine, e->args, 1);
	struct bytes path = bytes_of_text("instance"), attribute = { 0 };
	struct pickle_context c = context_of(j, e);
	uint8_t buf[SUBJECT_MAX];

	if (owner == PICKLE_NO_VALUE || key == PICKLE_NO_VALUE || !pickle_text(j->machine, key, &attribute) ||
	    attribute.n == 0) {
		report_attribute(j, WLK_F_PICKLE_GLOBAL_DYNAMIC, e, path, attribute);
		return;
	}
	if (pickle_kind(j->machine, owner) == PICKLE_GLOBAL)
		path = name_of(j, owner, buf);
	if (reaches_danger(j->machine, owner, path, attribute))
		report_attribute(j, WLK_F_PICKLE_GLOBAL_DANGEROUS, e, path, attribute);
	else if (pickle_made_by(
		     j->machine, owner, "builtins", "getattr")) /* what the first step returned, nobody knows */
		report_attribute(j, WLK_F_PICKLE_CALLEE_DYNAMIC, e, path, attribute);
	else if (pickle_names_member(&c, owner, attribute))
		pickle_mark(j->machine, e->result, PICKLE_MARK_MEMBER);
	else if (!is_own_class(&c, owner))
		report_attribute(j, WLK_F_PICKLE_GETATTR, e, path, attribute);
}

/* -- state -- */

static bool report_state(
    struct pickle_judge *j, const struct pickle_event *e, enum state_error error, struct bytes name)
{
	switch (error) {
	case STATE_OK: return false;
	case STATE_UNKNOWN: report_act(j, WLK_F_PICKLE_ARGUMENTS, e, name); break;
	case STATE_DUNDER: report_act(j, WLK_F_PICKLE_BUILD_DUNDER, e, name); break;
	case STATE_FUNCTION: report_act(j, WLK_F_PICKLE_BUILD_FUNCTION, e, name); break;
	}
	return true;
}

/* What some functions of torch set on the tensor they make, as BUILD would; else PICKLE_NO_VALUE. */
static pickle_value state_argument(
    const struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	const struct torch_call *call = NULL;
	struct bytes module, name = { 0 };
	int place = -1;

	if ((s->rule == PICKLE_RULE_REBUILD || s->rule == PICKLE_RULE_REBUILD_FROM_TYPE) &&
	    pickle_global_mapped(j->machine, e->target, &module, &name))
		call = torch_call_of(module, name);
	if (call != NULL)
		place = torch_call_place(call, TORCH_ROLE_STATE);
	return place >= 0 && pickle_count(j->machine, e->args) > (uint64_t)place
		   ? pickle_item(j->machine, e->args, (uint64_t)place)
		   : PICKLE_NO_VALUE;
}

/* -- judgement of calls -- */

/* f(*object): the Python reader takes whatever can be iterated, and nobody has seen what that gives. */
static bool hides_arguments(const struct pickle *p, const struct pickle_event *e)
{
	return pickle_kind(p, e->args) != PICKLE_TUPLE ||
	       (e->kwargs != PICKLE_NO_VALUE && pickle_kind(p, e->kwargs) != PICKLE_DICT);
}

/* Where only instances without arguments are vouched for, arguments are code's that nobody has looked at. */
static bool is_object_with_arguments(const struct pickle_context *c, const struct pickle_standing *s)
{
	return s->rule == PICKLE_RULE_OBJECT && !pickle_arguments_fit(c, s->rule);
}

static void judge_callee(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	unsigned use = e->act == PICKLE_ACT_NEW ? PICKLE_USE_NEW : PICKLE_USE_CALL;
	struct pickle_context c = context_of(j, e);
	uint8_t buf[SUBJECT_MAX];
	struct bytes name = name_of(j, e->target, buf);
	pickle_value state = state_argument(j, e, s);

	if (s->tier == PICKLE_TIER_DENIED)
		judge_report(j, WLK_F_PICKLE_CALL_DANGEROUS, e->offset, name, text_argument(j, e));
	else if (s->tier == PICKLE_TIER_CONTEXT)
		judge_getattr(j, e);
	else if (hides_arguments(j->machine, e))
		report_act(j, WLK_F_PICKLE_OPERAND, e, name);
	else if (s->tier == PICKLE_TIER_EXTRA && ((s->uses & use) == 0 || is_object_with_arguments(&c, s)))
		report_act(j, WLK_F_PICKLE_USE, e, name);
	else if ((s->uses & use) == 0 || !pickle_arguments_fit(&c, s->rule))
		report_act(j, WLK_F_PICKLE_ARGUMENTS, e, name);
	if (state != PICKLE_NO_VALUE)
		(void)report_state(j, e, state_judge(&c, s, state), name);
}

/* ("module", class, ...): how torch before 1.6 refers to the class of a whole model.  The class was judged where it was
 * imported; that such an id is there at all is a finding of the checkpoint's reader. */
static bool is_torch_module(const struct pickle_judge *j, pickle_value v)
{
	pickle_value id = pickle_persistent_id(j->machine, v), type = PICKLE_NO_VALUE, class = PICKLE_NO_VALUE;
	struct bytes text;

	if (j->o.profile == PICKLE_TORCH && id != PICKLE_NO_VALUE && pickle_kind(j->machine, id) == PICKLE_TUPLE) {
		type = pickle_item(j->machine, id, 0);
		class = pickle_item(j->machine, id, 1);
	}
	return type != PICKLE_NO_VALUE && pickle_text(j->machine, type, &text) &&
	       bytes_equal(text, bytes_of_text("module")) && pickle_kind(j->machine, class) == PICKLE_GLOBAL;
}

static bool judge_call(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	struct pickle_context c = context_of(j, e);
	enum pickle_kind kind = pickle_kind(j->machine, e->target);
	uint8_t buf[SUBJECT_MAX];

	j->summary.calls++;
	if (kind == PICKLE_GLOBAL) {
		judge_callee(j, e, s);
		if (pickle_holds_global(j->machine, e->args))
			pickle_mark(j->machine, e->result, PICKLE_MARK_FUNCTION);
		return pickle_arguments_note(&c, s->rule);
	}
	if (kind != PICKLE_EXTENSION && /* its own finding says that nobody can tell what it is */
	    !is_torch_module(j, e->target)) {
		pickle_value made_by = kind == PICKLE_OBJECT ? pickle_callee(j->machine, e->target) : PICKLE_NO_VALUE;

		report_act(j, WLK_F_PICKLE_CALLEE_DYNAMIC, e, name_of(j, made_by, buf));
	}
	return true;
}

/* -- instances -- */

/* A class that a pack vouches for, in the use that it names. */
static bool is_packed(const struct pickle_standing *s)
{
	return s->tier == PICKLE_TIER_EXTRA && s->rule != PICKLE_RULE_NONE;
}

static bool judge_build(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	enum pickle_kind kind = pickle_kind(j->machine, e->target);
	struct pickle_context c = context_of(j, e);
	uint8_t buf[SUBJECT_MAX];
	pickle_value class = kind == PICKLE_GLOBAL ? e->target : pickle_class_of(&c, e->target);
	struct bytes name = name_of(j, class, buf);

	bool reported = report_state(j, e, state_judge(&c, s, e->args), name);

	if ((pickle_marks(j->machine, e->args) & PICKLE_MARK_CALLEE) != 0)
		report_act(j, WLK_F_PICKLE_FUNCTION_VALUE, e, name);
	if (kind == PICKLE_GLOBAL || (kind == PICKLE_OBJECT && s->tier == PICKLE_TIER_CONTEXT))
		report_act(j, WLK_F_PICKLE_BUILD_ON_GLOBAL, e, name);
	else if (kind != PICKLE_OBJECT && kind != PICKLE_EXTENSION)
		report_act(j, WLK_F_PICKLE_METHOD_ON_OBJECT, e, name);
	else if (is_packed(s) && (pickle_marks(j->machine, e->target) & (PICKLE_MARK_BUILT | PICKLE_MARK_DUNDER)) != 0)
		report_act(
		    j, WLK_F_PICKLE_BUILD_FUNCTION, e, name); /* by a __setstate__ that may use what the first set */
	else if (!reported && ((s->uses & PICKLE_USE_BUILD) == 0 || !pickle_arguments_fit(&c, s->rule)))
		report_act(j, WLK_F_PICKLE_ARGUMENTS, e, name);
	if (s->tier != PICKLE_TIER_UNKNOWN)
		state_note(&c, s);
	return kind != PICKLE_OBJECT || pickle_arguments_note(&c, s->rule);
}

static unsigned use_of(const struct pickle_event *e)
{
	switch (e->opcode) {
	case OP_APPEND:
	case OP_APPENDS: return PICKLE_USE_APPEND;
	case OP_ADDITEMS: return PICKLE_USE_ADD;
	default: return PICKLE_USE_SETITEM;
	}
}

/* May this opcode call what a state has put in the method's place?  append, extend and add are looked for on the instance;
 * __setitem__ on the class, but a class that is no built-in one goes on from there.  Picklers write items before the state. */
static bool is_replaced(const struct pickle *p, const struct pickle_event *e, const struct pickle_standing *s)
{
	bool built_in = s->tier == PICKLE_TIER_WEIGHTS || s->tier == PICKLE_TIER_DATA;

	return (pickle_marks(p, e->target) & PICKLE_MARK_BUILT) != 0 && !(built_in && use_of(e) == PICKLE_USE_SETITEM);
}

/* Hooks are dictionaries of what will be called. */
static void note_functions(struct pickle_judge *j, const struct pickle_event *e)
{
	for (uint64_t i = 0; i < pickle_count(j->machine, e->args); i++) {
		pickle_value v = pickle_item(j->machine, e->args, i);

		if (v == PICKLE_NO_VALUE || pickle_kind(j->machine, v) == PICKLE_GLOBAL ||
		    pickle_made_by(j->machine, v, "builtins", "getattr")) {
			if ((pickle_marks(j->machine, e->target) & PICKLE_MARK_STATE) != 0)
				report_act(j, WLK_F_PICKLE_STATE_CHANGED, e, (struct bytes){ 0 });
			pickle_mark(j->machine, e->target, PICKLE_MARK_FUNCTION);
			return;
		}
	}
}

/* A dictionary whose attributes are its items hands BUILD what stands under "__setstate__". */
static void note_dunders(struct pickle_judge *j, const struct pickle_event *e)
{
	uint64_t step = use_of(e) == PICKLE_USE_SETITEM ? 2 : 1; /* keys stand before their values */
	struct bytes text;

	for (uint64_t i = 0; i < pickle_count(j->machine, e->args); i += step) {
		pickle_value v = pickle_item(j->machine, e->args, i);
		bool read = v != PICKLE_NO_VALUE && pickle_text(j->machine, v, &text);

		if (v == PICKLE_NO_VALUE || pickle_kind(j->machine, v) == PICKLE_OBJECT ||
		    (read && text.n > 4 && memcmp(text.at, "__", 2) == 0)) {
			pickle_mark(j->machine, e->target, PICKLE_MARK_DUNDER);
			return;
		}
	}
}

static void judge_items(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	enum pickle_kind kind = pickle_kind(j->machine, e->target);
	struct pickle_context c = context_of(j, e);
	uint8_t buf[SUBJECT_MAX];

	note_functions(j, e);
	if (kind == PICKLE_OBJECT && is_packed(s))
		note_dunders(j, e);
	if (kind == PICKLE_LIST || kind == PICKLE_DICT || kind == PICKLE_SET || kind == PICKLE_EXTENSION ||
	    (kind == PICKLE_OBJECT && (s->uses & use_of(e)) != 0 && !is_replaced(j->machine, e, s)))
		return;
	report_act(j, WLK_F_PICKLE_METHOD_ON_OBJECT, e,
	    name_of(j, kind == PICKLE_GLOBAL ? e->target : pickle_class_of(&c, e->target), buf));
}

/* -- oddities -- */

/* One note for all that is wrong with frames; of FRAME itself it carries the length. */
static bool is_frame_past_end(const struct pickle_judge *j, const struct pickle_event *e)
{
	return e->opcode == OP_FRAME && j->o.size != STREAM_SIZE_UNKNOWN &&
	       e->number > j->o.size - min_u64(j->o.size, pickle_after_opcode(j->machine));
}

static enum wlk_finding code_of_note(const struct pickle_judge *j, const struct pickle_event *e)
{
	switch (e->note) {
	case PICKLE_NOTE_PROTOCOL: return e->number > 5 ? WLK_F_PICKLE_PROTOCOL : WLK_F_PICKLE_PROTOCOL_CHANGED;
	case PICKLE_NOTE_FRAME:
		return is_frame_past_end(j, e) ? WLK_F_PICKLE_FRAME_PAST_END : WLK_F_PICKLE_FRAME_BOUNDS;
	case PICKLE_NOTE_STACK_LEFTOVER: return WLK_F_PICKLE_STACK_LEFTOVER;
	case PICKLE_NOTE_MEMO_INDEX: return WLK_F_PICKLE_MEMO_INDEX;
	case PICKLE_NOTE_INT_DIGITS: return WLK_F_PICKLE_INT_DIGITS;
	case PICKLE_NOTE_FLOAT_NONFINITE: return WLK_F_PICKLE_FLOAT_NONFINITE;
	case PICKLE_NOTE_DEPTH: return WLK_F_PICKLE_LIMIT_DEPTH;
	case PICKLE_NOTE_EXPANSION: return WLK_F_PICKLE_EXPANSION;
	case PICKLE_NOTE_NONASCII_STRING: return WLK_F_PICKLE_STRING_ENCODING;
	case PICKLE_NOTE_NUMBER_TEXT: return WLK_F_PICKLE_NUMBER_TEXT;
	case PICKLE_NOTE_OPCODE_PROTOCOL: return WLK_F_PICKLE_OPCODE_PROTOCOL;
	case PICKLE_NOTE_CALLEE_HELD: return WLK_F_PICKLE_FUNCTION_VALUE;
	case PICKLE_NOTE_STATE_CHANGED: return WLK_F_PICKLE_STATE_CHANGED;
	case PICKLE_NOTE_LOAD_TIME: return WLK_F_PICKLE_LOAD_TIME;
	case PICKLE_NOTE_LOAD_MEMORY: return WLK_F_PICKLE_LOAD_MEMORY;
	case PICKLE_N_NOTES: break;
	}
	return WLK_F_PICKLE_MALFORMED; /* a note of a later machine: never less than malformed */
}

static void judge_note(struct pickle_judge *j, const struct pickle_event *e)
{
	judge_report(j, code_of_note(j, e), e->offset, (struct bytes){ 0 }, value_number(e->number));
}

/* -- events -- */

/* Of the name that is imported or called, or of the class whose instance is built or filled. */
static struct pickle_standing standing_of(struct pickle_judge *j, const struct pickle_event *e)
{
	struct pickle_context c = context_of(j, e);
	bool on_instance = e->act == PICKLE_ACT_BUILD || e->act == PICKLE_ACT_MUTATE;
	pickle_value v = e->target;

	if (v != PICKLE_NO_VALUE && on_instance)
		v = pickle_class_of(&c, v);
	if (v == PICKLE_NO_VALUE)
		return (struct pickle_standing){ .tier = PICKLE_TIER_UNKNOWN, .uses = ~0u };
	if (j->o.torchscript && torchscript_standing(j->machine, v) != NULL)
		return *torchscript_standing(j->machine, v);
	return pickle_global_standing(j->machine, v, j->o.extra);
}

static bool judge_act(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	static const struct bytes nobody = { 0 };

	switch (e->act) {
	case PICKLE_ACT_IMPORT: judge_import(j, e, s); break;
	case PICKLE_ACT_CALL:
	case PICKLE_ACT_NEW: return judge_call(j, e, s);
	case PICKLE_ACT_BUILD: return judge_build(j, e, s);
	case PICKLE_ACT_MUTATE: judge_items(j, e, s); break;
	case PICKLE_ACT_PERSID:
		if (j->o.profile != PICKLE_TORCH)
			report_act(j, WLK_F_PICKLE_PERSID, e, nobody);
		break;
	case PICKLE_ACT_EXT:
		judge_report(j, WLK_F_PICKLE_EXT_OPCODE, e->offset, nobody, value_number(e->number));
		break;
	case PICKLE_ACT_BUFFER: report_act(j, WLK_F_PICKLE_OOB_BUFFER, e, nobody); break;
	case PICKLE_ACT_NOTE: judge_note(j, e); break;
	case PICKLE_ACT_ENTRY:
	case PICKLE_ACT_STOP: break;
	}
	return true;
}

static bool uses(const uint64_t *used, unsigned opcode)
{
	return (used[opcode >> 6] >> (opcode & 63) & 1) != 0;
}

/* From the memo, whose numbers MEMOIZE makes count on, or a name by its parts. */
static bool fetches(const struct pickle *p)
{
	const uint64_t *used = pickle_opcodes_used(p);

	return (uses(used, OP_STACK_GLOBAL) || uses(used, OP_MEMOIZE)) &&
	       (uses(used, OP_GET) || uses(used, OP_BINGET) || uses(used, OP_LONG_BINGET));
}

bool pickle_judge_fetches(const struct pickle_judge *j)
{
	return j->fetches;
}

void judge_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct pickle_judge *j = ctx;
	struct pickle_standing s;
	bool is_act;

	if (e->act == PICKLE_ACT_ENTRY) { /* MUTATE was judged */
		j->o.event(j->o.ctx, p, e);
		return;
	}
	s = standing_of(j, e);
	j->worst = CALL_ALLOWED;
	is_act = e->act != PICKLE_ACT_NOTE && e->act != PICKLE_ACT_STOP && e->act != PICKLE_ACT_MUTATE;

	j->acted |= is_act;
	j->summary.data_only &= !is_act;
	if (!judge_act(j, e, &s))
		j->memory_spent = true;
	if (j->o.report->wants_calls)
		judge_show(j, e, &s);
	j->summary.weights_only_loadable &= weights_only_takes(p, e, &s);
	if (e->act == PICKLE_ACT_STOP && !j->nested) {
		j->fetches |= j->summary.streams > 0 && j->acted && fetches(p);
		j->summary.streams++;
		j->end = pickle_after_opcode(p);
		j->summary.weights_only_loadable &= weights_only_knows_opcodes(p);
	}
	if (j->o.event != NULL)
		j->o.event(j->o.ctx, p, e);
}
