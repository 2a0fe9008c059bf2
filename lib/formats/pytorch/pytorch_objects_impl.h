/* Between the files that read a checkpoint's pickle; nobody else's. */
#pragma once

#include "config_pickle.h"
#include "pickle_arrays.h"
#include "pytorch_geometry.h"
#include "pytorch_objects.h"
#include "torch_calls.h"

/* What the reader remembers of a value that a call returned.  A value's tag is its index + 1. */
enum torch_kind {
	TORCH_STORAGE,
	TORCH_TENSOR,
	TORCH_CONTAINER, /* whatever may hold others: an OrderedDict, a module */
	TORCH_SIZE,      /* torch.Size: `args` is the sequence it was made from */
	TORCH_LAYOUT,    /* torch.serialization._get_layout: `args` is the name */
	TORCH_BARE,      /* a tensor class called without arguments: BUILD brings the rest (before 0.4) */
};

enum torch_rebuild { REBUILD_NONE, REBUILD_V1, REBUILD_V2, REBUILD_V3 };

struct torch_object {
	uint8_t kind;
	uint8_t rebuild;   /* of a tensor: how its args read; NONE for those without a storage of their own */
	bool ordered_dict; /* of a container */
	bool filled;       /* of a container: something was put in */
	bool part;         /* of a tensor that another is made of: it goes by that one's name */
	bool hooks;        /* of a container: some tensor's hooks, which stay empty */
	uint32_t storage;  /* of storages and tensors */
	uint32_t index;    /* in the holder, when there is no key */
	uint64_t numel;    /* of a storage: elements that are seen through it (a legacy view has fewer) */
	uint64_t begin;    /* of a storage: elements in front of those (of a legacy view) */
	pickle_value self;
	pickle_value args;        /* of a container: the state BUILD gave it */
	pickle_value holder, key; /* where it was put first; PICKLE_NO_VALUE: nowhere */
};

/* A further place of a tensor, for who converts. */
struct torch_place {
	uint32_t object, index;
	pickle_value holder, key;
};

struct torch_objects {
	struct torch_objects_options o;
	struct torch_storages storages;
	struct torch_storages views; /* of legacy files: by their keys, which only views have */
	struct pickle_arrays *arrays;
	struct config_pickle config; /* names in what is only data */
	struct torch_object *list;
	size_t n, capacity;
	struct torch_index_check *checks;
	size_t n_checks, checks_capacity;
	struct torch_place *places;
	size_t n_places, places_capacity;
	bool failed, odd_ids, unsound;
};

/* The object of a value; NULL: none, or the value is no such thing. */
struct torch_object *torch_object_of(struct torch_objects *o, const struct pickle *p, pickle_value v);
/* A new object, known by the value from now on; NULL when the arena is spent.  Moves the list. */
struct torch_object *torch_object_add(
    struct torch_objects *o, struct pickle *p, pickle_value v, enum torch_kind kind, uint32_t storage);

static inline void torch_objects_at(struct torch_objects *o, enum wlk_finding code, uint64_t offset)
{
	torch_objects_report(o, code, NULL, offset, (struct value){ 0 }, (struct value){ 0 });
}

/* Is it this name, as Python 3 has it? */
bool torch_is_global(const struct pickle *p, pickle_value v, const char *module, const char *name);
/* Argument i of a call; PICKLE_NO_VALUE: there is none. */
pickle_value torch_argument(const struct pickle *p, pickle_value args, uint64_t i);

/* -- pytorch_storage_ids.c -- */

void torch_persistent_id(struct torch_objects *o, struct pickle *p, const struct pickle_event *e);

/* A call that makes a tensor; of _rebuild_from_type_v2, the one inside it, with the same result. */
struct torch_made {
	struct torch_objects *o;
	struct pickle *p;
	pickle_value args, result;
	uint64_t offset;
};

/* -- pytorch_calls.c -- */

/* A call of something in torch that makes a tensor; false: it is none of those. */
bool torch_rebuild_call(struct torch_objects *o, struct pickle *p, const struct pickle_event *e);
/* A call of a class of tensors or storages; false: it is none of those. */
bool torch_construct_call(struct torch_objects *o, struct pickle *p, const struct pickle_event *e);
/* State given to a tensor; @bare: that is none yet. */
void torch_build_tensor(struct torch_objects *o, struct pickle *p, const struct pickle_event *e, bool bare);
void torch_check_hooks(const struct torch_made *c, pickle_value v);

/* -- pytorch_attributes.c -- */

enum torch_attribute {
	TORCH_ATTRIBUTE_OWN,   /* means nothing to PyTorch */
	TORCH_ATTRIBUTE_HIDES, /* a method of tensors */
	TORCH_ATTRIBUTE_SETS,  /* changes the tensor, or is one of Python's own */
};

enum torch_attribute torch_attribute_of(struct bytes name);

/* -- pytorch_rebuild.c -- */

/* The tensor that a function makes of a storage or of other tensors, its arguments being as many as they should. */
void torch_rebuild(const struct torch_made *c, enum torch_function function);
void torch_make_tensor(const struct torch_made *c, enum torch_rebuild rebuild, uint32_t storage);
/* The type of this name; NULL: none that is known. */
const struct torch_type *torch_dtype_of(const struct pickle *p, pickle_value v);
/* Is the tensor one of this type already? */
bool torch_is_of_type(const struct torch_made *c, pickle_value tensor, const struct torch_type *type);
/* Is it a NumPy array of this type, whose elements stand in the file and are examined? */
bool torch_is_array_of(const struct torch_made *c, pickle_value array, const struct torch_type *type);
/* The view a tensor has of its storage, read again from its arguments; silent. */
bool torch_tensor_view(struct torch_objects *o, const struct pickle *p, const struct torch_object *tensor,
    struct torch_view *ret, const struct torch_type **ret_type);
/* A sequence of sizes: a tuple, a list or a torch.Size.  False: something else, or not all non-negative. */
bool torch_read_sizes(struct torch_objects *o, const struct pickle *p, pickle_value v, uint64_t *ret, unsigned *ret_n);

/* -- pytorch_sparse.c -- */

void torch_rebuild_sparse(
    struct torch_objects *o, struct pickle *p, pickle_value layout, pickle_value data, uint64_t offset);

/* A storage's numbers are to be compared. */
void torch_add_check(struct torch_objects *o, struct torch_index_check check);

/* -- pytorch_quant.c -- */

void torch_check_quantizer(const struct torch_made *c, pickle_value params, const struct torch_type *type);

/* -- pytorch_views.c -- */

/* A tensor was put somewhere once more. */
void torch_note_place(struct torch_objects *o, const struct torch_object *tensor, struct torch_place place);
/* For who converts: the tensor under this name.  Empty: it has none that is known whole. */
void torch_note_view(
    struct torch_objects *o, const struct pickle *p, const struct torch_object *tensor, struct bytes name);

/* -- pytorch_names.c -- */

/* STOP: give every storage the name of the first tensor that has one. */
void torch_name_storages(struct torch_objects *o, struct pickle *p, pickle_value root);
