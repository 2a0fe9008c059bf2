/* TensorFlow graphs through the engine: what the corpus cannot hold - every cut and every damage of one, and the sizes at
 * which time would show. */
#include "harness.h"

#include <time.h>

#include "made_protobuf.h"

static void put_type(struct file *node, const char *name, uint64_t type)
{
	struct file entry = { 0 }, value = { 0 };

	put_number(&value, 6, type);
	put_text(&entry, 1, name);
	put_message(&entry, 2, value);
	put_message(node, 5, entry);
}

/* With the type that it has to have. */
static struct file node_of(const char *name, const char *op, const char *input)
{
	struct file m = { 0 };

	put_text(&m, 1, name);
	put_text(&m, 2, op);
	if (input != NULL)
		put_text(&m, 3, input);
	put_type(&m, input != NULL ? "T" : "dtype", 1);
	return m;
}

/* A constant of three floats, and somebody who looks at it. */
static struct file small_graph(void)
{
	const float data[3] = { 1, 2, 3 };
	struct file graph = { 0 }, node = node_of("w", "Const", NULL), entry = { 0 }, value = { 0 }, tensor = { 0 },
		    shape = { 0 }, dim = { 0 };

	put_number(&dim, 1, 3);
	put_message(&shape, 2, dim);
	put_number(&tensor, 1, 1);
	put_message(&tensor, 2, shape);
	put_bytes(&tensor, 4, data, sizeof(data));
	put_message(&value, 8, tensor);
	put_text(&entry, 1, "value");
	put_message(&entry, 2, value);
	put_message(&node, 5, entry);
	put_message(&graph, 1, node);
	put_message(&graph, 1, node_of("y", "Identity", "w"));
	return graph;
}

static struct facts *scan_as(const struct file *f, enum source_kind kind)
{
	return file_scan(f, WLK_FORMAT_UNKNOWN, kind);
}

static bool accepted(const struct facts *f)
{
	return f->final.complete && f->final.format == WLK_FORMAT_TF_GRAPH && memory_worst(f) < SEVERITY_MEDIUM;
}

START_TEST(test_a_cut_graph_is_accepted_only_between_its_nodes)
{
	struct file f = small_graph();
	size_t whole = f.n, first = 2 + (size_t)f.at[1]; /* its length takes one byte */
	struct facts *facts = scan_as(&f, SOURCE_MUTABLE);

	ck_assert_uint_eq(facts->n_findings, 0);
	ck_assert(accepted(facts) && facts->final.format == WLK_FORMAT_TF_GRAPH);
	ck_assert_uint_eq(facts->final.totals.elements, 3);
	facts_free(facts);
	for (f.n = 1; f.n < whole; f.n++) {
		facts = scan_as(&f, f.n % 2 == 0 ? SOURCE_IMMUTABLE : SOURCE_MUTABLE);
		ck_assert_msg(accepted(facts) == (f.n == first), "%zu bytes of %zu", f.n, whole);
		facts_free(facts);
	}
	free(f.at);
}
END_TEST

START_TEST(test_any_damage_gives_a_verdict)
{
	static const uint8_t damage[] = { 0x01, 0x02, 0x08, 0x10, 0x80, 0xff };
	struct file f = small_graph();

	file_damage(&f, WLK_FORMAT_UNKNOWN, damage, sizeof(damage));
	free(f.at);
}
END_TEST

/* Every node waits for the next one, and every one is a graph's worth of strings: time is linear in both. */
START_TEST(test_many_nodes_are_read_in_no_time)
{
	const unsigned n = 100000;
	struct file f = { 0 };
	struct facts *facts;
	clock_t begin;

	for (unsigned i = 0; i < n; i++) {
		char name[16], next[16];

		snprintf(name, sizeof(name), "n%u", i);
		snprintf(next, sizeof(next), "n%u", (i + 1) % n);
		put_message(&f, 1, node_of(name, "Identity", next));
	}
	begin = clock();
	facts = scan_as(&f, SOURCE_IMMUTABLE);
	ck_assert(clock() - begin < 5 * CLOCKS_PER_SEC);
	ck_assert(accepted(facts));
	ck_assert_uint_eq(facts->n_findings, 0);
	facts_free(facts);
	free(f.at);
}
END_TEST

HARNESS("tensorflow", test_a_cut_graph_is_accepted_only_between_its_nodes, test_any_damage_gives_a_verdict,
    test_many_nodes_are_read_in_no_time)
