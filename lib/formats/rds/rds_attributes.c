/* Attributes of R's objects against what they are of, and ALTREP: see rds.h.
 *
 * unserialize() sets attributes without looking at them (SET_ATTRIB), and R's C code indexes by them: a matrix of two
 * numbers that says it has a million is read far beyond its end.  ALTREP (R's src/main/altclasses.c): methods of a class
 * make the vector out of a state, which they do not look at either; those of mmap map a file that the state names. */
#include "rds.h"

static bool is_vector(enum rds_type t)
{
	return t == RDS_LGL || t == RDS_INT || t == RDS_REAL || t == RDS_CPLX || t == RDS_STR || t == RDS_VEC ||
	       t == RDS_EXPR || t == RDS_RAW;
}

static void hold(struct rds_walk *w)
{
	if (!w->unsure)
		layout_at(w->l, WLK_F_FORMAT_PARTLY_CHECKED, w->at);
	w->unsure = true;
}

/* -- attributes -- */

static bool names_fit(const struct rds_value *owner, const struct rds_value *v)
{
	return v->type == RDS_STR && v->n == owner->n;
}

/* Dimensions that are not written as numbers are not worked out. */
static bool dim_fits(struct rds_walk *w, const struct rds_value *owner, const struct rds_value *v)
{
	if (v->type != RDS_INT || v->n == 0)
		return false;
	if (v->plain && v->n <= 64)
		return v->product == owner->n && v->product != UINT64_MAX;
	hold(w);
	return true;
}

static bool attribute_fits(
    struct rds_walk *w, const struct rds_value *owner, enum rds_name name, const struct rds_value *v)
{
	switch (name) {
	case RDS_NAME_NAMES: return names_fit(owner, v);
	case RDS_NAME_DIM: return dim_fits(w, owner, v);
	case RDS_NAME_DIMNAMES: return v->type == RDS_VEC && v->n > 0;
	case RDS_NAME_CLASS: return v->type == RDS_STR && v->n > 0;
	case RDS_NAME_TSP: return v->type == RDS_REAL && v->n == 3;
	default: return true;
	}
}

/* Code of R takes them for texts, and for as many as there are rows or columns. */
void rds_dimnames_check(struct rds_walk *w, const struct rds_value *dim, uint64_t index, const struct rds_value *v)
{
	bool known = dim->plain && index < dim->n && dim->n <= RDS_FIRST_MAX;

	if (v->type == RDS_NIL)
		return;
	if (v->type != RDS_STR || (known && (double)v->n != dim->first[known ? index : 0]))
		rds_finding(w, WLK_F_RDS_ATTRIBUTE, NULL);
	else if (!known)
		hold(w);
}

/* Objects are printed when they are read at the prompt, and what R itself prints these by runs, fetches or opens what their
 * texts say: a bibliography's fields are documentation, in which \Sexpr is code. */
void rds_class_check(struct rds_walk *w)
{
	static const char *const acting[] = { "bibentry", "citation", "news_db", "help_files_with_topic", "vignette",
		"browseVignettes" };

	for (size_t i = 0; i < sizeof(acting) / sizeof(acting[0]) && w->text_n <= RDS_TEXT_BYTES; i++)
		if (bytes_equal(bytes_of(w->text, w->text_n), bytes_of_text(acting[i])))
			rds_finding(w, WLK_F_RDS_CODE, acting[i]);
}

/* Lists and names of dimensions are for vectors: of what has no elements R would read them all the same. */
static bool needs_vector(enum rds_name name)
{
	return name == RDS_NAME_DIM || name == RDS_NAME_DIMNAMES;
}

/* Slots of S4 objects, and attributes of functions and environments, are called as they like. */
void rds_attribute_check(
    struct rds_walk *w, const struct rds_value *owner, enum rds_name name, const struct rds_value *v)
{
	if (owner->type == RDS_ANY)
		hold(w); /* a vector of nobody knows how many elements */
	else if (is_vector(owner->type) ? !attribute_fits(w, owner, name, v)
					: owner->type != RDS_S4 && needs_vector(name))
		rds_finding(w, WLK_F_RDS_ATTRIBUTE, NULL);
}

/* -- ALTREP -- */

static enum rds_type wrapped_type(enum rds_name class)
{
	switch (class) {
	case RDS_NAME_WRAP_INT: return RDS_INT;
	case RDS_NAME_WRAP_LGL: return RDS_LGL;
	case RDS_NAME_WRAP_REAL: return RDS_REAL;
	case RDS_NAME_WRAP_CPLX: return RDS_CPLX;
	case RDS_NAME_WRAP_RAW: return RDS_RAW;
	case RDS_NAME_WRAP_STR: return RDS_STR;
	case RDS_NAME_WRAP_LIST: return RDS_VEC;
	default: return RDS_NIL;
	}
}

/* What vectors of R's own classes are; NIL: the class is not one of these. */
static enum rds_type type_of_class(enum rds_name class)
{
	switch (class) {
	case RDS_NAME_COMPACT_INT:
	case RDS_NAME_MMAP_INT: return RDS_INT;
	case RDS_NAME_COMPACT_REAL:
	case RDS_NAME_MMAP_REAL: return RDS_REAL;
	case RDS_NAME_DEFERRED: return RDS_STR;
	default: return wrapped_type(class);
	}
}

static bool is_mmap(enum rds_name class)
{
	return class == RDS_NAME_MMAP_INT || class == RDS_NAME_MMAP_REAL;
}

/* A list of the class, its package, and the type it stands for. */
static bool says_class(const struct rds_frame *list)
{
	return list != NULL && list->value.type == RDS_LIST && list->value.n == 3 && list->cdr.type == RDS_NIL &&
	       list->cars[0].type == RDS_SYM && list->cars[1].type == RDS_SYM && list->cars[2].type == RDS_INT &&
	       list->cars[2].n == 1;
}

void rds_altrep_class(struct rds_walk *w, struct rds_frame *f, const struct rds_frame *list)
{
	enum rds_type type;

	if (!says_class(list)) {
		rds_break(w, WLK_F_RDS_STRUCTURE, rds_type_name(RDS_ALTREP));
		return;
	}
	f->class = list->cars[1].name == RDS_NAME_BASE ? list->cars[0].name : RDS_NAME_OTHER;
	type = type_of_class(f->class);
	/* R 4.2 warns of another type, makes the vector by it all the same, and crashes */
	if (type != RDS_NIL && (!list->cars[2].plain || list->cars[2].first[0] != (double)type))
		rds_break(w, WLK_F_RDS_STRUCTURE, rds_type_name(RDS_ALTREP));
	else if (is_mmap(f->class))
		rds_finding(w, WLK_F_RDS_ALTREP_FILE, NULL);
	else if (type == RDS_NIL)
		rds_finding(w, WLK_F_RDS_ALTREP_CLASS, NULL);
}

#define LENGTH_MAX 4503599627370496.0 /* 2^52, R_XLEN_T_MAX */

/* How many, the first, and a step of one.  Only a sequence of integers may have it as integers: R takes the bytes for
 * doubles else. */
static bool is_sequence(const struct rds_value *v, enum rds_name class)
{
	if ((v->type != RDS_REAL && (v->type != RDS_INT || class != RDS_NAME_COMPACT_INT)) || v->n != 3 || !v->plain)
		return false;
	return v->first[0] >= 0 && v->first[0] <= LENGTH_MAX && v->first[1] >= -LENGTH_MAX &&
	       v->first[1] <= LENGTH_MAX && (v->first[2] == 1 || v->first[2] == -1);
}

static bool is_pair(const struct rds_frame *list, enum rds_type second, uint64_t n)
{
	return list != NULL && list->value.type == RDS_LIST && list->value.n == 1 && list->cdr.type == second &&
	       list->cdr.n == n;
}

/* Numbers that become text when they are looked at, and how. */
static bool is_deferred(const struct rds_frame *list)
{
	return is_pair(list, RDS_INT, 1) && (list->cars[0].type == RDS_INT || list->cars[0].type == RDS_REAL);
}

/* A vector of the same type, and whether it is sorted and complete. */
static bool is_wrapper(const struct rds_frame *list, enum rds_type type)
{
	return is_pair(list, RDS_INT, 2) && list->cars[0].type == type;
}

static void sequence_value(struct rds_value *v, enum rds_type type, double n)
{
	*v = (struct rds_value){ .type = type, .n = (uint64_t)n };
}

void rds_altrep_state(struct rds_walk *w, struct rds_frame *f, const struct rds_value *v, const struct rds_frame *list)
{
	enum rds_type wrapped = wrapped_type(f->class);
	bool fits = true;

	f->value = (struct rds_value){ .type = RDS_ANY };
	if (f->class == RDS_NAME_COMPACT_INT || f->class == RDS_NAME_COMPACT_REAL) {
		fits = is_sequence(v, f->class);
		if (fits)
			sequence_value(&f->value, f->class == RDS_NAME_COMPACT_INT ? RDS_INT : RDS_REAL, v->first[0]);
	} else if (f->class == RDS_NAME_DEFERRED) {
		fits = is_deferred(list);
		if (fits)
			f->value = (struct rds_value){ .type = RDS_STR, .n = list->cars[0].n };
	} else if (wrapped != RDS_NIL) {
		fits = is_wrapper(list, wrapped);
		if (fits)
			f->value = list->cars[0];
	}
	if (!fits)
		rds_break(w, WLK_F_RDS_STRUCTURE, rds_type_name(RDS_ALTREP));
}
