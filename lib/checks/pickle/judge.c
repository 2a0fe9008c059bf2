/* Implements judge.h: one event in, findings out.  The rules are those of formats/pickle, section 4; each act is judged
 * when a loader would perform it, so nothing that comes later (POP, STOP, a broken end) takes anything back. */
#include <string.h>

#include "checked.h"
#include "judge_impl.h"
#include "opcodes.h"
#include "weights_only.h"

#define SUBJECT_MAX REPORT_STRING_MAX

/* -- findings -- */

void judge_report(
    struct pickle_judge *j, enum wlk_finding code, uint64_t offset, struct bytes subject, struct value found)
{
	if (!report_wants(j->o.report, code)) {
		report_count(j->o.report, code);
		return;
	}
	report_finding(j->o.report, &(struct finding){ .code = code,
					.has_offset = true,
					.offset = j->o.origin + offset, /* both inside one file */
					.subject = subject,
					.member = j->o.member,
					.found = found });
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
		.dtypes = &j->dtypes };
}

/* -- imports -- */

static void judge_import(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	uint8_t buf[SUBJECT_MAX];
	struct bytes name = name_of(j, e->target, buf);

	j->summary.imports++;
	if (pickle_kind(j->machine, e->target) != PICKLE_GLOBAL) {
		report_act(j, WLK_F_PICKLE_GLOBAL_DYNAMIC, e, name);
		return;
	}
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

/* getattr(class, "NAME") is how Python 3.11 saves an Enum's member; getattr(module, "os") is an import.  The policy that
 * allows a class allows its members; what they are used for is judged as ever. */
static void judge_getattr(struct pickle_judge *j, const struct pickle_event *e)
{
	pickle_value owner = pickle_item(j->machine, e->args, 0), key = pickle_item(j->machine, e->args, 1);
	struct bytes path = bytes_of_text("instance"), attribute = { 0 };
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
	else if (pickle_global_standing(j->machine, owner, j->o.extra).tier != PICKLE_TIER_EXTRA)
		report_attribute(j, WLK_F_PICKLE_GETATTR, e, path, attribute);
}

/* -- state -- */

static bool is_dunder(struct bytes text)
{
	return text.n > 4 && memcmp(text.at, "__", 2) == 0 && memcmp(text.at + text.n - 2, "__", 2) == 0;
}

/* A dunder among the keys themselves; where not all keys are kept, the summary of the whole value decides. */
static bool has_dunder_key(const struct pickle *p, pickle_value dict)
{
	pickle_value key, value;
	struct bytes text;

	if (dict == PICKLE_NO_VALUE || pickle_kind(p, dict) != PICKLE_DICT || !pickle_holds_dunder_key(p, dict))
		return false;
	for (uint64_t i = 0; i < pickle_count(p, dict); i++) {
		if (!pickle_pair(p, dict, i, &key, &value))
			return true;
		if (pickle_text(p, key, &text) && is_dunder(text))
			return true;
	}
	return false;
}

/* The state of an object is its attributes, or a pair of attributes and slots. */
static bool sets_dunder(const struct pickle *p, pickle_value state)
{
	if (pickle_kind(p, state) == PICKLE_TUPLE && pickle_count(p, state) == 2)
		return has_dunder_key(p, pickle_item(p, state, 0)) || has_dunder_key(p, pickle_item(p, state, 1));
	return has_dunder_key(p, state);
}

/* Attributes whose names stand here: a dictionary that a call made, or a key that one made, may hold any. */
static bool is_known_state(const struct pickle *p, pickle_value state)
{
	return state != PICKLE_NO_VALUE && pickle_kind(p, state) != PICKLE_OBJECT && !pickle_has_opaque_key(p, state);
}

static bool has_known_state(const struct pickle *p, pickle_value state)
{
	if (pickle_kind(p, state) == PICKLE_TUPLE && pickle_count(p, state) == 2)
		return is_known_state(p, pickle_item(p, state, 0)) && is_known_state(p, pickle_item(p, state, 1));
	return is_known_state(p, state);
}

/* What some functions of torch set on the tensor they make, as BUILD would; else PICKLE_NO_VALUE. */
static pickle_value state_argument(
    const struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	struct bytes module, name = { 0 };
	bool sets = s->rule == PICKLE_RULE_REBUILD_FROM_TYPE;

	if (s->rule == PICKLE_RULE_REBUILD && pickle_global_mapped(j->machine, e->target, &module, &name))
		sets = bytes_equal(name, bytes_of_text("_rebuild_parameter_with_state"));
	return sets && pickle_count(j->machine, e->args) > 3 ? pickle_item(j->machine, e->args, 3) : PICKLE_NO_VALUE;
}

/* -- judgement of calls -- */

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
	else if ((s->uses & use) == 0 || !pickle_arguments_fit(&c, s->rule) ||
		 (state != PICKLE_NO_VALUE && !has_known_state(j->machine, state)))
		report_act(j, WLK_F_PICKLE_ARGUMENTS, e, name);
	if (state != PICKLE_NO_VALUE && sets_dunder(j->machine, state))
		report_act(j, WLK_F_PICKLE_BUILD_DUNDER, e, name);
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

static bool judge_build(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	enum pickle_kind kind = pickle_kind(j->machine, e->target);
	struct pickle_context c = context_of(j, e);
	uint8_t buf[SUBJECT_MAX];
	pickle_value class = kind == PICKLE_GLOBAL ? e->target : pickle_class_of(&c, e->target);
	struct bytes name = name_of(j, class, buf);

	if (sets_dunder(j->machine, e->args))
		report_act(j, WLK_F_PICKLE_BUILD_DUNDER, e, name);
	if (kind == PICKLE_GLOBAL || (kind == PICKLE_OBJECT && s->tier == PICKLE_TIER_CONTEXT))
		report_act(j, WLK_F_PICKLE_BUILD_ON_GLOBAL, e, name);
	else if (kind != PICKLE_OBJECT && kind != PICKLE_EXTENSION)
		report_act(j, WLK_F_PICKLE_METHOD_ON_OBJECT, e, name);
	else if ((s->uses & PICKLE_USE_BUILD) == 0 || !pickle_arguments_fit(&c, s->rule) ||
		 !has_known_state(j->machine, e->args))
		report_act(j, WLK_F_PICKLE_ARGUMENTS, e, name);
	return kind != PICKLE_OBJECT || pickle_arguments_note(&c, s->rule);
}

static void judge_items(struct pickle_judge *j, const struct pickle_event *e, const struct pickle_standing *s)
{
	enum pickle_kind kind = pickle_kind(j->machine, e->target);
	struct pickle_context c = context_of(j, e);
	uint8_t buf[SUBJECT_MAX];

	if (kind == PICKLE_LIST || kind == PICKLE_DICT || kind == PICKLE_SET || kind == PICKLE_EXTENSION ||
	    (kind == PICKLE_OBJECT && (s->uses & PICKLE_USE_ITEMS) != 0))
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

/* Classes that stand in the archive's own source, and functions that TorchScript's reader replaces by its own.  Whoever
 * loads such a pickle with Python gets an error; the code itself is another finding. */
static bool is_torchscript_name(const struct pickle *p, pickle_value v)
{
	const struct bytes own = bytes_of_text("__torch__");
	struct bytes module, name;

	if (v == PICKLE_NO_VALUE || pickle_kind(p, v) != PICKLE_GLOBAL || !pickle_global(p, v, &module, &name))
		return false;
	return bytes_equal(module, bytes_of_text("torch.jit._pickle")) ||
	       (module.n >= own.n && memcmp(module.at, own.at, own.n) == 0 &&
		   (module.n == own.n || module.at[own.n] == '.'));
}

/* Of the name that is imported or called, or of the class whose instance is built or filled. */
static struct pickle_standing standing_of(struct pickle_judge *j, const struct pickle_event *e)
{
	struct pickle_context c = context_of(j, e);
	bool on_instance = e->act == PICKLE_ACT_BUILD || e->act == PICKLE_ACT_MUTATE;
	pickle_value v = e->target;

	if (v != PICKLE_NO_VALUE && on_instance)
		v = pickle_class_of(&c, v);
	if (v == PICKLE_NO_VALUE || (j->o.torchscript && is_torchscript_name(j->machine, v)))
		return (struct pickle_standing){ .tier = PICKLE_TIER_UNKNOWN, .uses = ~0u };
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
	case PICKLE_ACT_STOP: break;
	}
	return true;
}

void judge_event(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct pickle_judge *j = ctx;
	struct pickle_standing s = standing_of(j, e);
	bool is_act = e->act != PICKLE_ACT_NOTE && e->act != PICKLE_ACT_STOP && e->act != PICKLE_ACT_MUTATE;

	j->acted |= is_act;
	j->summary.data_only &= !is_act;
	if (!judge_act(j, e, &s))
		j->memory_spent = true;
	j->summary.weights_only_loadable &= weights_only_takes(p, e, &s);
	if (e->act == PICKLE_ACT_STOP && !j->nested) {
		j->summary.streams++;
		j->end = pickle_after_opcode(p);
		j->summary.weights_only_loadable &= weights_only_knows_opcodes(p);
	}
	if (j->o.event != NULL)
		j->o.event(j->o.ctx, p, e);
}
