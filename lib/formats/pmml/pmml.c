/* PMML: see pmml.h.  Follows formats/others (PMML) and formats/pmml. */
#include "pmml.h"

#include "identify_signs.h"
#include "member.h"
#include "scoped_names.h"
#include "xml_file.h"

#define NO_DEPTH XML_DEPTH_MAX

struct pmml {
	struct layout *l;
	struct xml_reader reader;
	unsigned extension;        /* depth of the outermost one that is open, or NO_DEPTH */
	unsigned row;              /* of an inline table's row: what is in it are columns */
	bool told;                 /* of this extension: that it holds code */
	struct xml_words words;    /* its text */
	struct scoped_names names; /* functions that are defined */
};

static void tell(struct pmml *p, enum wlk_finding code, uint64_t offset, struct bytes subject)
{
	layout_finding(
	    p->l, &(struct finding){ .code = code, .has_offset = true, .offset = offset, .subject = subject });
}

static void unknown(struct pmml *p, enum wlk_finding code, uint64_t offset, struct bytes subject)
{
	tell(p, code, offset, subject);
	p->reader.unknown = true;
}

/* -- the version -- */

static bool is_version(struct bytes v)
{
	static const char *const versions[] = { "3.0", "3.1", "3.2", "4.0", "4.1", "4.2", "4.2.1", "4.3", "4.4",
		"4.4.1" };

	return xml_listed(versions, sizeof(versions) / sizeof(versions[0]), v);
}

static void check_root(struct pmml *p, const struct xml_tag *tag)
{
	const struct xml_attribute *version = xml_find(tag, "version");

	if (!bytes_equal(tag->name, bytes_of_text("PMML")))
		unknown(p, WLK_F_PMML_UNKNOWN, tag->offset, tag->name);
	if (version == NULL || !is_version(version->value))
		unknown(p, WLK_F_PMML_VERSION, tag->offset, version != NULL ? version->value : bytes_of(NULL, 0));
}

/* -- namespaces: elements mean what these say -- */

static bool is_declaration(struct bytes name)
{
	return bytes_equal(name, bytes_of_text("xmlns")) || (name.n > 6 && memcmp(name.at, "xmlns:", 6) == 0);
}

static bool is_harmless_namespace(struct bytes uri)
{
	return xml_begins(uri, "http://www.dmg.org/pmml-") ||
	       xml_is(uri, "http://www.w3.org/2001/xmlschema-instance") ||
	       xml_is(uri, "http://www.w3.org/2001/xmlschema") || xml_begins(uri, "http://jpmml.org/jpmml-model");
}

static void check_namespaces(struct pmml *p, const struct xml_tag *tag)
{
	for (unsigned i = 0; i < tag->n_attributes; i++) {
		const struct xml_attribute *a = &tag->attributes[i];

		if (is_declaration(a->name) && !is_harmless_namespace(a->value))
			unknown(p, WLK_F_PMML_UNKNOWN, a->offset, a->value);
	}
}

/* -- extensions -- */

/* What code begins with or cannot do without, and descriptions of models do not have. */
static bool is_like_code(struct bytes text)
{
	static const char *const words[] = { "<script", "javascript:", "vbscript:", "import os", "import sys",
		"import subprocess", "__import__", "os.system", "os.popen", "subprocess.", "eval(", "exec(",
		"getruntime", "processbuilder", "java.lang.", "javax.script", "class.forname", "scriptengine",
		"function(", "function (", "powershell", "cmd.exe", "/bin/sh", "/bin/bash", "bash -c", "<?php", "#!/",
		"system(" };

	return xml_holds_any(text, words, sizeof(words) / sizeof(words[0]));
}

static void check_extension_text(struct pmml *p, struct bytes text, uint64_t offset)
{
	if (p->told || !is_like_code(text))
		return;
	p->told = true;
	tell(p, WLK_F_PMML_EXTENSION_CODE, offset, text);
}

static void check_extension(struct pmml *p, const struct xml_tag *tag)
{
	if (p->extension == NO_DEPTH) {
		p->extension = tag->depth;
		p->told = false;
		p->words.kept = 0;
	}
	for (unsigned i = 0; i < tag->n_attributes; i++)
		check_extension_text(p, tag->attributes[i].value, tag->attributes[i].offset);
}

/* -- functions -- */

static void define_function(struct pmml *p, const struct xml_tag *tag)
{
	const struct xml_attribute *name = xml_find(tag, "name");

	if (name != NULL && p->extension == NO_DEPTH) /* evaluators pass over extensions */
		scoped_names_add(&p->names, scoped_name_of(&p->names, name->value, 0), SCOPED_KEY, tag->offset);
}

static bool is_defined(const struct pmml *p, struct bytes name)
{
	bool dot = name.n > 0 && memchr(name.at, '.', name.n) != NULL;

	return !dot && scoped_names_find(&p->names, scoped_name_of(&p->names, name, 0), 1u << SCOPED_KEY, 0) != NULL;
}

/* Evaluators take the name of what is neither built in nor defined for that of a class, and load it; one with a dot in it
 * some look up as a class first. */
static void apply_function(struct pmml *p, const struct xml_tag *tag)
{
	const struct xml_attribute *name = xml_find(tag, "function");

	if (name != NULL && (pmml_is_function(name->value) || is_defined(p, name->value)))
		return;
	tell(p, WLK_F_PMML_FUNCTION, tag->offset, name != NULL ? name->value : bytes_of(NULL, 0));
}

static void check_element(struct pmml *p, const struct xml_tag *tag)
{
	if (bytes_equal(tag->name, bytes_of_text("Extension")))
		check_extension(p, tag);
	else if (bytes_equal(tag->name, bytes_of_text("DefineFunction")))
		define_function(p, tag);
	else if (bytes_equal(tag->name, bytes_of_text("Apply")))
		apply_function(p, tag);
	else if (bytes_equal(tag->name, bytes_of_text("row")) && p->row == NO_DEPTH)
		p->row = tag->depth;
	else if (!pmml_is_element(tag->name))
		unknown(p, WLK_F_PMML_UNKNOWN, tag->offset, tag->name);
}

/* -- the walk -- */

static bool open_tag(void *ctx, const struct xml_tag *tag)
{
	struct pmml *p = ctx;

	check_namespaces(p, tag);
	if (tag->depth == 0)
		check_root(p, tag);
	else if (p->row == NO_DEPTH || bytes_equal(tag->name, bytes_of_text("Extension")))
		check_element(p, tag);
	else if (tag->depth > p->row + 1)
		unknown(p, WLK_F_PMML_UNKNOWN, tag->offset, tag->name);
	if (p->extension != NO_DEPTH && tag->depth > p->extension)
		check_extension(p, tag);
	return !p->names.failed;
}

static bool close_tag(void *ctx, unsigned depth, uint64_t offset)
{
	struct pmml *p = ctx;

	(void)offset;
	if (depth == p->extension)
		p->extension = NO_DEPTH;
	if (depth == p->row)
		p->row = NO_DEPTH;
	return true;
}

static bool take_text(void *ctx, const uint8_t *at, size_t n, uint64_t offset, bool cdata)
{
	struct pmml *p = ctx;

	(void)cdata;
	if (p->extension != NO_DEPTH)
		check_extension_text(p, xml_words_join(&p->words, at, n), offset);
	return true;
}

/* -- the file -- */

static enum wlk_status read_model(struct layout *l, struct stream *s)
{
	struct pmml *p = arena_alloc(l->arena, 1, sizeof(*p));
	enum wlk_status status;

	if (p == NULL)
		return layout_stop(l);
	p->l = l;
	p->reader = (struct xml_reader){ .l = l, .ctx = p, .open = open_tag, .close = close_tag, .text = take_text };
	p->extension = p->row = NO_DEPTH;
	scoped_names_init(&p->names, l->arena, &l->seed);
	status = xml_read(&p->reader, s);
	return p->names.failed ? layout_stop(l) : status;
}

static enum wlk_status layout(struct layout *l)
{
	struct stream s = xml_stream(l);

	return read_model(l, &s);
}

static enum wlk_status judge(struct layout *l, struct member *m)
{
	return read_model(l, &m->stream);
}

static bool probe(const struct probe *p)
{
	const struct sign *s = identify_sign(bytes_of(p->head, p->n), p->size);

	return s != NULL && s->id == WLK_FORMAT_PMML;
}

const struct wlk_format format_pmml = {
	.id = WLK_FORMAT_PMML, .probe = probe, .layout = layout, .nested = NESTED_STREAM, .judge = judge
};
