/* Implements cost.h. */
#include "cost.h"

#include "checked.h"

#define OBJECT_BYTES 256u /* an instance with an empty __dict__ */
#define DEQUE_BYTES 640u  /* a block of 64 pointers */
#define SLOT_BYTES 8u     /* a reference */
#define ENTRY_BYTES 104u  /* of a dict or set, at its emptiest */
#define STORAGE_ELEMENTS (INT64_C(1) << 24)
#define STORAGE_BYTES 16u   /* the widest element of torch */
#define TEXT_STEP 16u       /* bytes copied or parsed in a step */
#define CHARACTER_BYTES 48u /* a string of each character, and a reference: [measured] 42 bytes a byte of text */
#define CHARACTER_STEPS 4u
#define WRITTEN 4u    /* str(bytes) writes \\x00 for a byte */
#define PATH_BYTES 8u /* pathlib keeps a list of the parts: [measured] 4 bytes, 2.5 steps a byte */
#define PATH_STEPS 4u
#define ELEMENT_STEPS 4u  /* of each byte: small numbers are set one by one */
#define FIELD_BYTES 160u  /* [measured] 131 */
#define FIELD_STEPS 256u  /* [measured] 2.3 us */
#define ITEM_BYTES 48u    /* an integer and a reference to it, or two copies of a number */
#define ITEM_STEPS 16u    /* [measured] 0.1 us where pandas makes objects */
#define LAYER_STEPS 2048u /* [measured] 17 us, for either direction */
#define OUTPUT_STEPS 8u
#define OUTPUT_BYTES 8u
#define SEEDS_STEPS 8192u
#define SEEDS_BYTES 4096u
#define OUTPUTS_MAX 65536 /* of more, the argument rule says so */
#define DIVIDED_STEP 64u  /* bytes squared in a step of what divides long integers: [measured] 114 */
#define DIGITS_STEP 2048u /* digits squared in a step of int() */
#define ORDERED_STEPS 32u
#define FOLLOWED 16u       /* bytes(bytes(...)): levels looked through */
#define COMPONENTS_MAX 64u /* of module and name: more are refused unseen */
#define COMPONENT_WORK 32u /* [measured] 37 us for 32 of them */
#define ARGUMENT_WORK 48u
#define ARGUMENT_STEPS 4u
#define HASHED_STEPS 16u /* of an instance that hashes itself: [measured] 0.13 us for each of a type's categories */
#define NOT_KEPT UINT64_C(1024) /* steps for an argument nobody kept */

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return mul_u64(a, b, &product) ? product : UINT64_MAX;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Bytes of the run so far; what follows adds to the allowance when it is there. */
static uint64_t seen(const struct pickle *p)
{
	return p->op_offset - p->cost.origin;
}

static void check(struct pickle *p, uint64_t spent, uint64_t allowed, bool *noted, enum pickle_note n)
{
	if (spent <= allowed || *noted)
		return;
	*noted = true;
	note(p, n, spent);
}

void cost_steps(struct pickle *p, uint64_t n)
{
	p->cost.steps = plus(p->cost.steps, n);
	if (p->cost.steps > COST_STEPS_BASE && !p->expansion_noted)
		check(p, p->cost.steps, plus(COST_STEPS_BASE, times(COST_STEPS_PER_BYTE, seen(p))),
		    &p->cost.steps_noted, PICKLE_NOTE_LOAD_TIME);
}

void cost_bytes(struct pickle *p, uint64_t n)
{
	p->cost.bytes = plus(p->cost.bytes, n);
	if (p->cost.bytes > COST_BYTES_BASE)
		check(p, p->cost.bytes, plus(COST_BYTES_BASE, times(COST_BYTES_PER_BYTE, seen(p))),
		    &p->cost.bytes_noted, PICKLE_NOTE_LOAD_MEMORY);
}

/* -- our own work -- */

static uint64_t components(const struct pickle *p, pickle_value global)
{
	struct bytes module, name;
	uint64_t n = 1;

	if (global != PICKLE_NO_VALUE && kind_of(global) == PICKLE_OBJECT)
		global = thing_of(p, global)->first;
	if (global == PICKLE_NO_VALUE || !pickle_global(p, global, &module, &name))
		return 1;
	for (size_t i = 0; i < module.n; i++)
		n += module.at[i] == '.';
	for (size_t i = 0; i < name.n; i++)
		n += name.at[i] == '.';
	return n;
}

/* As many as are looked at; nothing importable has more. */
static uint64_t name_work(const struct pickle *p, pickle_value global)
{
	uint64_t n = min_u64(components(p, global), COMPONENTS_MAX);

	return n * n * COMPONENT_WORK;
}

bool cost_work(struct pickle *p, pickle_value target, pickle_value args)
{
	uint64_t n = args != PICKLE_NO_VALUE ? min_u64(pickle_count(p, args), PICKLE_TUPLE_KEPT) : 0;

	return work_charge(&p->arena->work, name_work(p, target) + n * ARGUMENT_WORK) || end_walk(p, PICKLE_LIMIT_WORK);
}

/* -- calls -- */

/* What a callee does with its arguments beyond copying them. */
enum callee {
	CALLEE_ANY,
	CALLEE_SEQUENCE, /* list, tuple: references */
	CALLEE_HASHING,  /* sets and counters: each item is hashed */
	CALLEE_PAIRS,    /* dicts: each item is made a pair */
	CALLEE_ORDERED,  /* likewise, by methods: [measured] 0.3 us an item */
	CALLEE_DEQUE,
	CALLEE_NUMBER,  /* parses digits */
	CALLEE_DIVIDES, /* likewise, and divides integers: a fraction reduces itself, a range counts its numbers */
	CALLEE_WRITES,  /* str(): the digits of an integer, the bytes of bytes */
	CALLEE_PATH,
	CALLEE_TREE, /* scikit-learn's Tree(columns, classes, outputs): a place in memory and a step in Python for each output */
	CALLEE_SEEDS,   /* NumPy's generators fill their state: [measured] 75 us and 3 KB for the Mersenne twister */
	CALLEE_STORAGE, /* allocates by number */
};

static const struct {
	const char *module, *name;
	enum callee callee;
} callees[] = {
	{ "builtins", "list", CALLEE_SEQUENCE },
	{ "builtins", "tuple", CALLEE_SEQUENCE },
	{ "builtins", "slice", CALLEE_SEQUENCE },
	{ "torch", "Size", CALLEE_SEQUENCE },
	{ "builtins", "set", CALLEE_HASHING },
	{ "builtins", "frozenset", CALLEE_HASHING },
	{ "collections", "Counter", CALLEE_HASHING },
	{ "builtins", "dict", CALLEE_PAIRS },
	{ "collections", "OrderedDict", CALLEE_ORDERED },
	{ "collections", "defaultdict", CALLEE_PAIRS },
	{ "collections", "deque", CALLEE_DEQUE },
	{ "builtins", "int", CALLEE_NUMBER },
	{ "builtins", "float", CALLEE_NUMBER },
	{ "builtins", "complex", CALLEE_NUMBER },
	{ "decimal", "Decimal", CALLEE_NUMBER },
	{ "fractions", "Fraction", CALLEE_DIVIDES },
	{ "builtins", "range", CALLEE_DIVIDES },
	{ "builtins", "str", CALLEE_WRITES },
	{ "sklearn.tree._tree", "Tree", CALLEE_TREE },
	{ "sklearn.tree.tree", "Tree", CALLEE_TREE },
	{ "numpy.random._pickle", "__bit_generator_ctor", CALLEE_SEEDS },
	{ "numpy.random._pickle", "__generator_ctor", CALLEE_SEEDS },
	{ "numpy.random._pickle", "__randomstate_ctor", CALLEE_SEEDS },
	{ "numpy.random", "__RandomState_ctor", CALLEE_SEEDS },
};

/* torch.FloatStorage, torch.cuda.LongStorage, torch.storage.TypedStorage */
static bool is_storage(struct bytes module, struct bytes name)
{
	const struct bytes torch = bytes_of_text("torch"), storage = bytes_of_text("Storage");

	return module.n >= torch.n && memcmp(module.at, torch.at, torch.n) == 0 && name.n >= storage.n &&
	       memcmp(name.at + name.n - storage.n, storage.at, storage.n) == 0;
}

/* pathlib.PosixPath, pathlib._local.PurePosixPath */
static bool is_pathlib(struct bytes module)
{
	const struct bytes own = bytes_of_text("pathlib");

	return module.n >= own.n && memcmp(module.at, own.at, own.n) == 0;
}

static enum callee callee_of(const struct pickle *p, pickle_value target)
{
	struct bytes module, name;

	if (target == PICKLE_NO_VALUE || !pickle_global_mapped(p, target, &module, &name))
		return CALLEE_ANY;
	for (size_t i = 0; i < sizeof(callees) / sizeof(callees[0]); i++)
		if (bytes_equal(name, bytes_of_text(callees[i].name)) &&
		    bytes_equal(module, bytes_of_text(callees[i].module)))
			return callees[i].callee;
	if (is_pathlib(module))
		return CALLEE_PATH;
	return is_storage(module, name) ? CALLEE_STORAGE : CALLEE_ANY;
}

/* Bytes of a string, or of what a call made of one: bytes(x), _codecs.encode(x) are as long as x at most. */
static uint64_t text_bytes(const struct pickle *p, pickle_value v)
{
	struct bytes head;
	uint64_t n;

	for (unsigned level = 0; kind_of(v) == PICKLE_OBJECT; level++) {
		pickle_value args = thing_of(p, v)->second;

		if (level == FOLLOWED)
			return seen(p);
		v = args != PICKLE_NO_VALUE ? pickle_item(p, args, 0) : PICKLE_NO_VALUE;
		if (v == PICKLE_NO_VALUE)
			return 0;
	}
	switch (kind_of(v)) {
	case PICKLE_STR:
	case PICKLE_BYTES:
	case PICKLE_BYTEARRAY: return value_kept(p, v, &head, &n) ? n : seen(p);
	case PICKLE_BIG_INT: return value_long_bytes(p, v);
	default: return 0;
	}
}

static bool is_container(enum pickle_kind k)
{
	return k >= PICKLE_TUPLE && k <= PICKLE_FROZENSET;
}

/* Children, or as many as there can be. */
static uint64_t count_of(const struct pickle *p, pickle_value v)
{
	uint64_t n = pickle_count(p, v);

	return n != UINT64_MAX ? n : p->opcodes;
}

/* Keys that were entered one by one are entered again.  Of a list nobody kept the numbers whose hashes are the file's
 * choice: each may meet all others. */
static uint64_t collisions_in(const struct pickle *p, pickle_value v)
{
	enum pickle_kind k = kind_of(v);
	uint64_t n = count_of(p, v), wide = is_growing(k) && !is_spilled(v) ? node_of(p, v)->wide : WIDE_MANY, met;

	wide = min_u64(wide, n);
	if (k == PICKLE_LIST && !is_spilled(v) && collision_list_met(p, v, &met))
		return plus(n, met);
	if (k == PICKLE_SET || k == PICKLE_DICT || k == PICKLE_FROZENSET)
		return plus(n + wide * wide, collision_met(p, v));
	return is_growing(k) && wide < WIDE_MANY ? n + wide * wide : times(n, n) / 2;
}

/* dict([x]) makes a list of x to see that it has two items: range(2, 10**9) has more. */
static bool holds_opaque_item(const struct pickle *p, pickle_value v)
{
	if (is_growing(kind_of(v)))
		return is_spilled(v) ? pickle_holds_object(p, v) : (node_of(p, v)->flags & HAS_OPAQUE_KEY) != 0;
	for (uint64_t i = 0; i < pickle_count(p, v); i++) {
		pickle_value item = pickle_item(p, v, i);

		if (item == PICKLE_NO_VALUE || is_opaque(kind_of(item)))
			return true;
	}
	return false;
}

static void cost_container(struct pickle *p, enum callee callee, pickle_value v)
{
	uint64_t n = count_of(p, v);
	bool pairs = callee == CALLEE_PAIRS || callee == CALLEE_ORDERED, hashes = callee == CALLEE_HASHING || pairs;

	cost_steps(p, plus(times(n, callee == CALLEE_ORDERED ? ORDERED_STEPS : 1), 1));
	cost_bytes(p, times(n, hashes || kind_of(v) == PICKLE_DICT ? ENTRY_BYTES : SLOT_BYTES));
	if (!hashes || cost_over(p))
		return;
	cost_steps(p, plus(value_size(p, v), collisions_in(p, v)));
	if (pairs && kind_of(v) != PICKLE_DICT && holds_opaque_item(p, v))
		cost_bytes(p, COST_BOUNDLESS);
}

/* What a callee makes of n bytes of a text, or of an integer, beyond a copy. */
static void cost_text(struct pickle *p, enum callee callee, enum pickle_kind kind, uint64_t n)
{
	switch (callee) {
	case CALLEE_SEQUENCE:
	case CALLEE_DEQUE:
		cost_steps(p, times(n, CHARACTER_STEPS));
		cost_bytes(p, times(n, CHARACTER_BYTES));
		break;
	case CALLEE_HASHING:
	case CALLEE_PAIRS:
	case CALLEE_ORDERED:
		cost_steps(p, times(n, CHARACTER_STEPS));
		cost_bytes(p, times(n, CHARACTER_BYTES + ENTRY_BYTES));
		break;
	case CALLEE_NUMBER: cost_steps(p, times(n, n) / DIGITS_STEP); break;
	case CALLEE_DIVIDES: cost_steps(p, times(n, n) / DIVIDED_STEP); break;
	case CALLEE_WRITES:
		cost_bytes(p, times(n, WRITTEN));
		cost_steps(p, kind == PICKLE_BIG_INT ? times(n, n) / DIVIDED_STEP : n / WRITTEN);
		break;
	case CALLEE_PATH:
		cost_steps(p, times(n, PATH_STEPS));
		cost_bytes(p, times(n, PATH_BYTES));
		break;
	case CALLEE_ANY:
	case CALLEE_SEEDS:
	case CALLEE_TREE:
	case CALLEE_STORAGE: break;
	}
}

static void cost_argument(struct pickle *p, enum callee callee, pickle_value v)
{
	int64_t elements;
	uint64_t n;

	if (is_container(kind_of(v))) {
		cost_container(p, callee, v);
		return;
	}
	/* Of more, the argument rule says so (rule_one_int). */
	if (callee == CALLEE_STORAGE && pickle_int(p, v, &elements) && elements > 0 && elements <= STORAGE_ELEMENTS)
		cost_bytes(p, times((uint64_t)elements, STORAGE_BYTES));
	n = text_bytes(p, v);
	cost_steps(p, 1 + n / TEXT_STEP);
	cost_bytes(p, n);
	cost_text(p, callee, kind_of(v), n);
}

static void cost_arguments(struct pickle *p, enum callee callee, pickle_value args)
{
	uint64_t n, plain = 0;

	if (args == PICKLE_NO_VALUE || cost_over(p))
		return;
	n = count_of(p, args);
	for (uint64_t i = 0; i < n && !cost_over(p); i++) {
		pickle_value v = pickle_item(p, args, i);

		if (v == PICKLE_NO_VALUE) {
			cost_steps(p, times(n - i, NOT_KEPT));
			break;
		}
		if (kind_of(v) <= PICKLE_FLOAT && kind_of(v) != PICKLE_BIG_INT && callee != CALLEE_STORAGE)
			plain++;
		else
			cost_argument(p, callee, v);
	}
	cost_steps(p, times(plain, ARGUMENT_STEPS));
}

static void cost_outputs(struct pickle *p, pickle_value args)
{
	pickle_value outputs = args != PICKLE_NO_VALUE ? pickle_item(p, args, 2) : PICKLE_NO_VALUE;
	int64_t n;

	if (outputs == PICKLE_NO_VALUE || !pickle_int(p, outputs, &n) || n <= 0 || n > OUTPUTS_MAX)
		return;
	cost_steps(p, times((uint64_t)n, OUTPUT_STEPS));
	cost_bytes(p, times((uint64_t)n, OUTPUT_BYTES));
}

void cost_call(struct pickle *p, pickle_value target, pickle_value args, pickle_value kwargs)
{
	enum callee callee = callee_of(p, target);

	cost_bytes(p, callee == CALLEE_DEQUE ? DEQUE_BYTES : OBJECT_BYTES);
	cost_arguments(p, callee, args);
	if (callee == CALLEE_TREE)
		cost_outputs(p, args);
	if (callee == CALLEE_SEEDS) {
		cost_steps(p, SEEDS_STEPS);
		cost_bytes(p, SEEDS_BYTES);
	}
	if (kwargs != PICKLE_NO_VALUE)
		cost_argument(p, CALLEE_ANY, kwargs);
}

/* A dict is copied into the instance's; of a tuple, each part may be. */
void cost_build(struct pickle *p, pickle_value state)
{
	cost_argument(p, CALLEE_ANY, state);
	if (kind_of(state) == PICKLE_TUPLE)
		cost_arguments(p, CALLEE_ANY, state);
}

void pickle_cost_elements(struct pickle *p, uint64_t n)
{
	cost_bytes(p, n);
	cost_steps(p, times(n, ELEMENT_STEPS));
}

void pickle_cost_items(struct pickle *p, uint64_t n)
{
	cost_bytes(p, times(n, ITEM_BYTES));
	cost_steps(p, times(n, ITEM_STEPS));
}

void pickle_cost_steps(struct pickle *p, uint64_t n)
{
	cost_steps(p, n);
}

void pickle_cost_fields(struct pickle *p, uint64_t n)
{
	cost_bytes(p, times(n, FIELD_BYTES));
	cost_steps(p, times(n, FIELD_STEPS));
}

void pickle_cost_layers(struct pickle *p, int64_t n)
{
	cost_steps(p, times(n > 0 ? (uint64_t)n : 0, LAYER_STEPS));
}

/* list[slice] = anything puts in what it iterates: range(10**9), or the list itself, which doubles. */
void cost_index(struct pickle *p, pickle_value target, pickle_value index)
{
	bool sequence =
	    kind_of(target) == PICKLE_LIST || kind_of(target) == PICKLE_BYTEARRAY ||
	    (kind_of(target) == PICKLE_OBJECT && callee_of(p, thing_of(p, target)->first) == CALLEE_SEQUENCE);

	if (sequence && is_opaque(kind_of(index)))
		cost_bytes(p, COST_BOUNDLESS);
}

/* -- keys -- */

uint64_t cost_of_hash(const struct pickle *p, pickle_value target, pickle_value args)
{
	enum callee callee = callee_of(p, target);
	uint64_t size = 1;

	if ((callee != CALLEE_SEQUENCE && callee != CALLEE_HASHING) || args == PICKLE_NO_VALUE)
		return 1;
	for (uint64_t i = 0; i < pickle_count(p, args) && i < PICKLE_ITEMS_KEPT; i++) {
		pickle_value v = pickle_item(p, args, i);

		size = plus(size, v != PICKLE_NO_VALUE ? value_size(p, v) : NOT_KEPT);
	}
	return size;
}

/* What an equal key is compared by: identity at best, and byte by byte. */
static uint64_t comparison_of(const struct pickle *p, pickle_value key)
{
	uint64_t size = value_size(p, key);

	if ((pickle_marks(p, key) & PICKLE_MARK_HASHED) != 0)
		size *= HASHED_STEPS;
	return 1 + size + text_bytes(p, key) / TEXT_STEP / 8;
}

/* Strings take places too, and decide how large a table is. */
static void note_salted(struct pickle *p, pickle_value container, pickle_value key, uint64_t hash, uint64_t at)
{
	bool text = kind_of(key) == PICKLE_STR || kind_of(key) == PICKLE_BYTES;
	bool known = is_growing(kind_of(container)) && !is_spilled(container);
	uint64_t equal;

	if (known && at <= WIDE_MANY)
		return;
	if (known && text)
		(void)collision_enter(p, container, key, hash, at - 1, &equal);
	else
		collision_skip(p, container);
}

void cost_key(struct pickle *p, pickle_value container, pickle_value key, uint64_t at)
{
	uint64_t hash, met, equal;

	if (cost_over(p))
		return;
	switch (collision_hash(p, key, &hash)) {
	case HASH_SALTED:
		cost_steps(p, comparison_of(p, key));
		note_salted(p, container, key, hash, at);
		return;
	case HASH_NARROW:
	case HASH_CHOSEN:
	case HASH_OPAQUE: break;
	}
	if (is_growing(kind_of(container)) && !is_spilled(container) && node_of(p, container)->wide < WIDE_MANY) {
		node_widen(node_of(p, container));
		cost_steps(p, comparison_of(p, key));
		return;
	}
	if (kind_of(container) == PICKLE_FROZENSET && pickle_count(p, container) <= WIDE_MANY)
		return; /* they are few */
	met = collision_enter(p, container, key, hash, at - 1, &equal);
	cost_steps(p, plus(met, times(equal + 1, comparison_of(p, key))));
}
