/* Numbers of ai.onnx.ml's operators that are no weights: a NaN behind each set of a TreeEnsemble, the value that an Imputer
 * replaces (sklearn's stands for what is missing).  An operator of that name in another domain may be anything; one of that domain
 * that the model defines itself is a finding (onnx-function-shadow). */
#include "onnx.h"

/* ai.onnx.ml 5: members one behind the other. */
bool onnx_is_list_of_sets(const struct onnx_level *v)
{
	return v[-1].message == &onnx_attribute && v[-2].message == &onnx_node &&
	       onnx_word_is(&v[-2].node->op, "TreeEnsemble") &&
	       onnx_word_is(&v[-1].attribute.name, "membership_values");
}

bool onnx_is_marker(const struct onnx_level *v)
{
	const struct onnx_attribute *a = &v->attribute;

	return v[-1].message == &onnx_node && onnx_word_is(&v[-1].node->op, "Imputer") && a->type == ONNX_ATTR_FLOAT &&
	       onnx_word_is(&a->name, "replaced_value_float") && a->weights.counts.pos_inf == 0 &&
	       a->weights.counts.neg_inf == 0;
}

/* Weights after all. */
static void report(struct onnx *o, const struct onnx_marker *m)
{
	onnx_floats_end(o, &m->weights, onnx_word_bytes(&m->name));
}

void onnx_marker_keep(struct onnx *o, struct onnx_node *n, const struct onnx_marker *m)
{
	if (n->marker.kept) /* of a name that is there twice */
		report(o, m);
	else
		n->marker = *m;
	n->marker.kept = true;
}

void onnx_marker_end(struct onnx *o, struct onnx_node *n)
{
	const struct onnx_marker *m = &n->marker;
	struct extents *x = o->l->extents;

	if (!m->kept)
		return;
	if (!onnx_word_is(&n->domain, "ai.onnx.ml")) {
		report(o, m);
		return;
	}
	for (size_t i = m->first_extent; i < m->end_extent; i++)
		if (x->list[i].kind == EXTENT_TENSOR && x->list[i].dtype != WLK_DTYPE_NONE)
			x->list[i].dtype = WLK_DTYPE_U8; /* bytes in which no number is looked for */
}
