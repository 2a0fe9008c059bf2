/* weighlock convert: the tensors of files as safetensors.  A jailed worker judges each file and writes what it reads, to a file
 * without a name; once it has ended, another one judges what was written.  Only what that one accepts, and what holds what the
 * first one promised, gets its name.  Of several files, or for shards, what the workers wrote is put together anew in between
 * (convert/compose.h). */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checked.h"
#include "cleanup.h"
#include "commands.h"
#include "convert_impl.h"
#include "interrupt.h"
#include "json_line.h"
#include "local.h"
#include "memory_file.h"
#include "print.h"
#include "external.h"
#include "scan_options.h"

#define SHORT_OPTIONS ":hVo:"
#define SOURCES_MAX 1000u
#define ENDING ".safetensors"

enum { OPT_FORMAT = 256, OPT_POLICY, OPT_DROP_CODE, OPT_FORCE, OPT_SHARD_SIZE, OPT_DTYPE };

static const struct option long_options[] = {
	{ "dtype", required_argument, NULL, OPT_DTYPE },
	{ "drop-code", no_argument, NULL, OPT_DROP_CODE },
	{ "force", no_argument, NULL, OPT_FORCE },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "shard-size", required_argument, NULL, OPT_SHARD_SIZE },
	USAGE_LONG_OPTIONS,
};

/* ---- options ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), n_end = strlen(end);

	return n > n_end && strcmp(text + n - n_end, end) == 0;
}

/* "5GB", "500MiB": as others that cut models take them; decimal without the i. */
static bool size_read(const char *text, uint64_t *ret)
{
	static const struct {
		const char *unit;
		uint64_t bytes;
	} units[] = { { "KB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 }, { "KiB", 1 << 10 }, { "MiB", 1 << 20 },
		{ "GiB", 1 << 30 } };
	char *end;
	unsigned long long n;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	n = strtoull(text, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (errno == 0 && n > 0 && strcmp(end, units[i].unit) == 0)
			return mul_u64(n, units[i].bytes, ret) && *ret <= INT64_MAX;
	return false;
}

static bool dtype_read(const char *text, enum wlk_dtype *ret)
{
	static const enum wlk_dtype types[] = { WLK_DTYPE_F64, WLK_DTYPE_F32, WLK_DTYPE_F16, WLK_DTYPE_BF16 };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		*ret = types[i];
		if (strcmp(text, dtype_info(types[i])->name) == 0)
			return true;
	}
	return false;
}

static int operands_take(struct convert *c, int n, char **operands)
{
	c->paths = operands;
	if (c->out == NULL || c->out[0] == '\0')
		return usage_error("convert", "no output given: -o OUT.safetensors");
	if (c->shard_bytes > 0 && !ends_with(c->out, ENDING))
		return usage_error("convert", "--shard-size: the names of shards are made of OUT" ENDING);
	if (n < 1 || (unsigned)n > SOURCES_MAX)
		return usage_error("convert", n < 1 ? "no file given" : "more than 1000 files");
	for (int i = 0; i < n; i++)
		if (operands[i][0] == '\0')
			return usage_error("convert", "an empty path; in a script, is a variable not set?");
	c->n_sources = (size_t)n;
	c->composed = n > 1 || c->shard_bytes > 0;
	return -1;
}

static int options_parse(int argc, char **argv, struct convert *c)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		switch (option) {
		case 'o': c->out = optarg; break;
		case OPT_POLICY: c->policy_name = optarg; break;
		case OPT_DROP_CODE: c->drop_code = true; break;
		case OPT_FORCE: c->force = true; break;
		case OPT_DTYPE:
			if (!dtype_read(optarg, &c->cast))
				return usage_error(
				    "convert", "--dtype: found '%s', allowed F64, F32, F16 or BF16", optarg);
			break;
		case OPT_SHARD_SIZE:
			if (!size_read(optarg, &c->shard_bytes))
				return usage_error(
				    "convert", "--shard-size: found '%s', allowed such as 5GB or 500MiB", optarg);
			break;
		case OPT_FORMAT:
			if (!format_parse(optarg, &c->format))
				return usage_error("convert", "--format: found '%s', allowed text or json", optarg);
			break;
		default: return usage_option("convert", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		}
	}
	return operands_take(c, argc - optind, argv + optind);
}

/* ---- outputs ---- */

static int output_give(struct output *o, uint64_t size)
{
	struct input *in = &o->task.input;

	in->name = strdup(o->path);
	in->fd = fcntl(o->made.fd, F_DUPFD_CLOEXEC, 3);
	in->size = size;
	in->source = VERDICT_FILE;
	return in->name == NULL || in->fd < 0 ? -ENOMEM : 0;
}

static int output_check(struct convert *c, struct output *o, const struct tensor_rows *promised, uint64_t size)
{
	int r = output_give(o, size);

	if (r == 0)
		r = convert_task(c, &o->task);
	if (r == 0 && o->task.value == VERDICT_ACCEPT && o->task.listed)
		r = promises_compare(promised, o->task.rows, &o->promises);
	if (r < 0) {
		say("%s: %s", o->path, strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	if (o->task.value != VERDICT_ACCEPT || !o->task.listed) {
		_cleanup_(freep) char *line = print_json(o->task.verdict, NULL);

		say("%s was not made: what was written is not accepted (%s)", o->path, convert_verdict(&o->task));
		if (c->format == PRINT_JSON && line != NULL)
			fputs(line, stdout);
		return CLI_FAILED;
	}
	if (o->promises.broken == NULL)
		return CLI_OK;
	say("%s was not made: %s", o->path, o->promises.broken);
	return CLI_INCOMPLETE;
}

/* Nothing has a name yet. */
static int outputs_new(struct convert *c, size_t n)
{
	c->outputs = calloc(n, sizeof(*c->outputs));
	if (c->outputs == NULL)
		return -ENOMEM;
	c->n_outputs = n;
	for (size_t i = 0; i < n; i++) {
		struct output *o = &c->outputs[i];
		int stem = (int)(strlen(c->out) - strlen(ENDING));

		o->task.input.fd = -1;
		o->made = (struct made_file){ .dir = -1, .fd = -1 };
		if (n == 1)
			o->path = strdup(c->out);
		else if (asprintf(&o->path, "%.*s-%05zu-of-%05zu" ENDING, stem, c->out, i + 1, n) < 0)
			o->path = NULL;
		if (o->path == NULL)
			return -ENOMEM;
	}
	if (n > 1 && asprintf(&c->index_path, "%s.index.json", c->out) < 0)
		c->index_path = NULL;
	return n > 1 && c->index_path == NULL ? -ENOMEM : 0;
}

static int output_single(struct convert *c)
{
	struct original *s = &c->sources[0];
	int r = convert_source_freeze(s);

	if (r == 0)
		r = outputs_new(c, 1);
	if (r < 0) {
		say("%s: %s", c->out, strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	c->outputs[0].made = s->made;
	s->made = (struct made_file){ .dir = -1, .fd = -1 };
	return output_check(c, &c->outputs[0], s->task.rows, convert_fact(&s->task, WLK_FACT_CONVERTED)->value.number);
}

/* ---- several sources, or shards ---- */

static int compose_plan(struct convert *c, char **ret_name)
{
	struct compose_source *sources = calloc(c->n_sources, sizeof(*sources));
	int r = sources != NULL ? 0 : -ENOMEM;

	c->compose_sources = sources;
	for (size_t i = 0; i < c->n_sources && r == 0; i++) {
		struct original *s = &c->sources[i];
		const struct fact *framework = convert_fact(&s->task, WLK_FACT_METADATA_FORMAT);
		const struct fact *converted = convert_fact(&s->task, WLK_FACT_CONVERTED);

		r = s->judged ? 0 : convert_source_freeze(s);
		sources[i] = (struct compose_source){ .rows = s->judged || s->mixed ? s->composed : s->task.rows,
			.ranges = s->judged,
			.fd = s->judged ? s->fd : s->made.fd,
			.size = converted != NULL ? converted->value.number : 0,
			.sha256 = s->sha256,
			.verdict = convert_verdict(&s->task),
			.framework = framework != NULL ? framework->value.text : (struct bytes){ 0 } };
	}
	return r == 0 ? compose_new(sources, c->n_sources, c->shard_bytes, &c->compose, ret_name) : r;
}

static int output_compose(struct convert *c, size_t i)
{
	struct output *o = &c->outputs[i];
	uint64_t size = 0;
	int r = made_file_open(&o->made, o->path, c->force);

	if (r < 0) {
		say("%s: %s%s", o->path, strerrordesc_np(-r), r == -EEXIST ? "; --force replaces it" : "");
		return r == -EEXIST ? CLI_USAGE : CLI_INCOMPLETE;
	}
	r = compose_write(c->compose, i, o->made.fd, &o->composed);
	if (r == 0)
		r = made_file_freeze(&o->made, &size);
	if (r == 0)
		return output_check(c, o, o->composed, size);
	say("%s: %s", o->path, strerrordesc_np(-r));
	return CLI_INCOMPLETE;
}

/* Shards are named beside the index: without their folder. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static int index_write(struct convert *c)
{
	_cleanup_(freep) const char **names = calloc(c->n_outputs, sizeof(*names));
	_cleanup_(freep) char *text = NULL;
	json_t *index;
	uint64_t size;
	int r;

	if (c->index_path == NULL)
		return CLI_OK;
	for (size_t i = 0; i < c->n_outputs && names != NULL; i++)
		names[i] = name_of(c->outputs[i].path);
	index = names != NULL ? compose_index(c->compose, names) : NULL;
	text = index != NULL ? json_line(index, JSON_INDENT(2) | JSON_SORT_KEYS) : NULL;
	json_decref(index);
	r = text != NULL ? made_file_open(&c->index, c->index_path, c->force) : -ENOMEM;
	if (r == 0)
		r = memory_file_write(c->index.fd, text, strlen(text), 0);
	if (r == 0)
		r = made_file_freeze(&c->index, &size);
	if (r == 0)
		return CLI_OK;
	say("%s: %s%s", c->index_path, strerrordesc_np(-r), r == -EEXIST ? "; --force replaces it" : "");
	return r == -EEXIST ? CLI_USAGE : CLI_INCOMPLETE;
}

static int outputs_compose(struct convert *c)
{
	_cleanup_(freep) char *name = NULL;
	int status = CLI_OK, r = compose_plan(c, &name);
	char shown[512];

	if (r == -ENODATA) {
		say("%s was not made: %s", c->out, convert_reason_text(CONVERT_EMPTY));
		return CLI_FAILED;
	}
	if (r == -EEXIST) {
		say("%s was not made: %s: %s", c->out, convert_reason_text(CONVERT_COLLISION),
		    text_escape(bytes_of_text(name), shown, sizeof(shown)));
		return CLI_FAILED;
	}
	if (r == 0)
		r = outputs_new(c, compose_outputs(c->compose));
	if (r < 0) {
		say("%s: %s", c->out, r == -E2BIG ? "more than 1000 shards" : strerrordesc_np(-r));
		return r == -E2BIG ? CLI_USAGE : CLI_INCOMPLETE;
	}
	for (size_t i = 0; i < c->n_outputs && status == CLI_OK; i++)
		status = output_compose(c, i);
	return status == CLI_OK ? index_write(c) : status;
}

/* ---- telling ---- */

static json_t *describe_output(const struct output *o)
{
	return json_pack("{s:O, s:I, s:O}", "file", json_object_get(o->task.verdict, "file"), "tensors",
	    (json_int_t)o->promises.tensors, "verdict", json_object_get(o->task.verdict, "verdict"));
}

/* As of one; of several the first, and then all of them. */
static json_t *describe(const struct convert *c)
{
	const struct promises *p = &c->outputs[0].promises;
	json_t *o = json_pack("{s:s, s:o, s:O, s:O, s:O, s:O}", "schema", "weighlock.convert/1", "output",
	    describe_output(&c->outputs[0]), "aliases", p->aliases, "left", p->left, "unchecked", p->unchecked,
	    "source", c->sources[0].task.verdict);
	json_t *outputs = json_array(), *sources = json_array();

	for (size_t i = 0; i < c->n_outputs && c->composed; i++) {
		const struct promises *more = &c->outputs[i].promises;

		(void)json_array_append_new(outputs, describe_output(&c->outputs[i]));
		if (i > 0 &&
		    (json_object_update(p->aliases, more->aliases) < 0 || json_array_extend(p->left, more->left) < 0 ||
			json_array_extend(p->unchecked, more->unchecked) < 0))
			break;
	}
	for (size_t i = 0; i < c->n_sources && c->composed; i++)
		(void)json_array_append(sources, c->sources[i].task.verdict);
	if (c->composed)
		(void)json_object_update_new(o, json_pack("{s:O, s:O, s:s*}", "outputs", outputs, "sources", sources,
						    "index", c->index_path != NULL ? name_of(c->index_path) : NULL));
	json_decref(outputs);
	json_decref(sources);
	return o;
}

static void print_list(const char *what, const json_t *list, const char *key)
{
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);
		_cleanup_(freep) char *safe =
		    text_safe(json_string_value(key != NULL ? json_object_get(item, key) : item));
		const char *why = json_string_value(json_object_get(item, "why"));

		printf(
		    "  %s: %s%s%s\n", what, safe != NULL ? safe : "?", why != NULL ? ": " : "", why != NULL ? why : "");
	}
}

static void tell_output(const struct convert *c, const struct output *o)
{
	const struct promises *p = &o->promises;
	const struct task *first = &c->sources[0].task;
	_cleanup_(freep) char *name = text_safe(o->path), *from = text_safe(first->input.name);
	const char *key;
	json_t *value;

	if (c->n_sources == 1)
		printf("%s: %llu tensors of %s (%s)\n", name != NULL ? name : "?", (unsigned long long)p->tensors,
		    from != NULL ? from : "?", convert_verdict(first));
	else
		printf("%s: %llu tensors of %zu files\n", name != NULL ? name : "?", (unsigned long long)p->tensors,
		    c->n_sources);
	json_object_foreach (p->aliases, key, value) {
		_cleanup_(freep) char *alias = text_safe(key), *kept = text_safe(json_string_value(value));

		printf("  another name of %s: %s\n", kept != NULL ? kept : "?", alias != NULL ? alias : "?");
	}
	print_list("left behind", p->left, "name");
	print_list("rests on its writer's word", p->unchecked, NULL);
}

static int tell(const struct convert *c)
{
	if (c->format == PRINT_JSON)
		return output_json(describe(c));
	for (size_t i = 0; i < c->n_outputs; i++)
		tell_output(c, &c->outputs[i]);
	return output_finish(CLI_OK);
}

/* ---- the command ---- */

/* The index last: what it names is there. */
static int place(struct convert *c)
{
	int r = 0;

	for (size_t i = 0; i < c->n_outputs && r == 0; i++)
		r = made_file_place(&c->outputs[i].made, c->force);
	if (r == 0 && c->index_path != NULL)
		r = made_file_place(&c->index, c->force);
	if (r == 0)
		return CLI_OK;
	say("%s: %s", c->out, strerrordesc_np(-r));
	return CLI_INCOMPLETE;
}

static int run(struct convert *c)
{
	int status = policy_find(c->policy_name, &c->policy);

	if (status == CLI_OK)
		status = convert_sources_open(c);
	if (status != CLI_OK)
		return status;
	if (interrupt_init() < 0 || local_open(c->policy, &c->backend) < 0)
		return CLI_INCOMPLETE;
	if (externals_may_be(c))
		status = externals_convert(c);
	else
		for (size_t i = 0; i < c->n_sources && status == CLI_OK; i++)
			status = convert_source_convert(c, &c->sources[i]);
	if (status == CLI_OK)
		status = c->composed ? outputs_compose(c) : output_single(c);
	if (interrupt_signal() != 0)
		return 128 + interrupt_signal();
	if (status == CLI_OK)
		status = place(c);
	return status == CLI_OK ? tell(c) : status;
}

static void task_done(struct task *t)
{
	input_done(&t->input);
	tensor_rows_free(t->rows);
	json_decref(t->verdict);
	facts_free(t->facts);
	free(t->line);
}

static void convert_done(struct convert *c)
{
	if (c->backend != NULL)
		c->backend->ops->close(c->backend);
	compose_free(c->compose);
	free(c->compose_sources);
	for (size_t i = 0; i < c->n_sources && c->sources != NULL; i++) {
		task_done(&c->sources[i].task);
		made_file_done(&c->sources[i].made);
		tensor_rows_free(c->sources[i].composed);
		if (c->sources[i].fd >= 0)
			close(c->sources[i].fd);
	}
	for (size_t i = 0; i < c->n_outputs; i++) {
		task_done(&c->outputs[i].task);
		tensor_rows_free(c->outputs[i].composed);
		promises_done(&c->outputs[i].promises);
		made_file_done(&c->outputs[i].made);
		free(c->outputs[i].path);
	}
	free(c->sources);
	free(c->outputs);
	made_file_done(&c->index);
	free(c->index_path);
	walk_free(c->walk);
	policy_free(c->policy);
}

int cmd_convert(int argc, char **argv)
{
	struct convert c = { .policy_name = "default", .format = PRINT_TEXT, .index = { .dir = -1, .fd = -1 } };
	int status = options_parse(argc, argv, &c);

	if (status < 0)
		status = run(&c);
	convert_done(&c);
	return status;
}
