/* See oci_layout.h. */
#include "oci_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "hex.h"
#include "sha256.h"

#define OPEN_HERE (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW)
#define BY_DIGITS 12 /* of a manifest's digest, in the names that it gives */
#define TITLE_MAX 1024u
#define TITLE "org.opencontainers.image.title" /* image-spec, annotations.md; ORAS and others pull files by it */
#define FILEPATH "org.cncf.model.filepath"     /* ModelPack's model-spec, annotations.md */

/* What layers without a title are called, by the end of their media type: Ollama's, and Docker's for models. */
static const struct {
	const char *type, *name;
} known_layers[] = {
	{ "application/vnd.ollama.image.model", "model.gguf" },
	{ "application/vnd.ollama.image.adapter", "adapter.gguf" },
	{ "application/vnd.ollama.image.projector", "projector.gguf" },
	{ "application/vnd.ollama.image.params", "params.json" },
	{ "application/vnd.ollama.image.messages", "messages.json" },
	{ "application/vnd.ollama.image.license", "license.txt" },
	{ "application/vnd.ollama.image.system", "system.txt" },
	{ "application/vnd.ollama.image.template", "template.txt" },
	{ "application/vnd.docker.ai.gguf.v3", "model.gguf" },
	{ "application/vnd.docker.ai.mmproj", "mmproj.gguf" },
	{ "application/vnd.docker.ai.safetensors", "model.safetensors" },
	{ "application/vnd.docker.ai.license", "license.txt" },
};

struct blob_name {
	char hex[65];
	char *name; /* owned */
};

struct oci_layout {
	int folder; /* while it is read */
	struct blob_name *names;
	size_t n, room;
	size_t n_manifests;
	bool failed; /* too many, or no memory: it names nothing */
};

/* ---- documents ---- */

/* Return: a malloc()ed text of *ret_n bytes; NULL. */
static uint8_t *read_file(int folder, const char *path, size_t *ret_n)
{
	_cleanup_(closep) int fd = openat(folder, path, OPEN_HERE);
	struct stat st;
	uint8_t *at;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > OCI_DOCUMENT_MAX)
		return NULL;
	*ret_n = (size_t)st.st_size;
	at = malloc(*ret_n);
	got = at != NULL ? pread(fd, at, *ret_n, 0) : -1;
	if (got == st.st_size)
		return at;
	free(at);
	return NULL;
}

static bool has_digest(const uint8_t *at, size_t n, const char *hex)
{
	uint8_t told[SHA256_BYTES], digest[SHA256_BYTES];
	struct sha256 state;

	sha256_begin(&state);
	sha256_feed(&state, at, n);
	sha256_end(&state, digest);
	return sha256_of_hex(hex, told) && memcmp(told, digest, sizeof(digest)) == 0;
}

/* @hex: of the blob that it is; NULL: it is index.json. */
static json_t *read_document(const struct oci_layout *l, const char *hex)
{
	char path[sizeof(OCI_BLOBS) + 1 + 64 + 1] = "index.json";
	_cleanup_(freep) char *text = NULL;
	size_t n = 0;

	if (hex != NULL)
		(void)snprintf(path, sizeof(path), OCI_BLOBS "/%s", hex);
	text = (char *)read_file(l->folder, path, &n);
	if (text == NULL || (hex != NULL && !has_digest((const uint8_t *)text, n, hex)))
		return NULL;
	return json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL);
}

/* ---- names ---- */

/* A path that stays where it is put, as anybody would write one; else its last part, else nothing. */
static const char *title_of(const char *text)
{
	const char *last = text != NULL ? strrchr(text, '/') : NULL;
	bool odd = text == NULL || text[0] == '/' || strlen(text) > TITLE_MAX;

	for (const char *part = text; !odd && part != NULL; part = strchr(part, '/')) {
		size_t n;

		part += part != text;
		n = strcspn(part, "/");
		odd = n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.');
	}
	text = odd && last != NULL ? last + 1 : odd ? NULL : text;
	if (text == NULL || text[0] == '\0' || strcmp(text, ".") == 0 || strcmp(text, "..") == 0 ||
	    strlen(text) > TITLE_MAX)
		return NULL;
	return text;
}

static const char *text_in(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static const char *name_of(const json_t *descriptor)
{
	const json_t *notes = json_object_get(descriptor, "annotations");
	const char *type = text_in(descriptor, "mediaType"), *name = title_of(text_in(notes, TITLE));

	if (name == NULL)
		name = title_of(text_in(notes, FILEPATH));
	for (size_t i = 0; name == NULL && type != NULL && i < sizeof(known_layers) / sizeof(known_layers[0]); i++)
		if (strcmp(type, known_layers[i].type) == 0)
			name = known_layers[i].name;
	return name;
}

/* The digest of a descriptor as a blob's name; NULL: it is none that this layout keeps. */
static const char *hex_of(const json_t *descriptor)
{
	const char *digest = text_in(descriptor, "digest");

	return digest != NULL && strncmp(digest, "sha256:", 7) == 0 && is_sha256_hex(digest + 7) ? digest + 7 : NULL;
}

static bool is_taken(const struct oci_layout *l, const char *name, const char *hex, bool *ret_same)
{
	for (size_t i = l->n; i-- > 0;) {
		if (strcmp(l->names[i].name, name) != 0)
			continue;
		*ret_same = strcmp(l->names[i].hex, hex) == 0;
		return true;
	}
	return false;
}

static void add(struct oci_layout *l, const char *hex, char *name)
{
	if (l->n == l->room) {
		size_t room = l->room > 0 ? l->room * 2 : 64;
		struct blob_name *names = reallocarray(l->names, room, sizeof(*names));

		if (names == NULL) {
			free(name);
			l->failed = true;
			return;
		}
		l->names = names;
		l->room = room;
	}
	memcpy(l->names[l->n].hex, hex, 65);
	l->names[l->n++].name = name;
}

/* Two blobs of one name are two files all the same. */
static void name_blob(struct oci_layout *l, const char *by, const char *hex, const char *title)
{
	bool taken, same = false;
	unsigned again = 1;
	char *name;

	do {
		char number[16] = "";

		if (again > 1)
			(void)snprintf(number, sizeof(number), "%u/", again);
		if (l->n == OCI_NAMES_MAX || asprintf(&name, "manifest-%.*s/%s%s", BY_DIGITS, by, number, title) < 0) {
			l->failed = true;
			return;
		}
		taken = is_taken(l, name, hex, &same);
		if (taken)
			free(name);
	} while (taken && !same && again++ < OCI_SAME_MAX);
	if (!taken)
		add(l, hex, name);
}

/* ---- manifests ---- */

static void take_layers(struct oci_layout *l, const char *by, const json_t *list)
{
	const json_t *descriptor;
	size_t i;

	json_array_foreach (list, i, descriptor) {
		const char *hex = hex_of(descriptor), *title = name_of(descriptor);

		if (hex != NULL && title != NULL && !l->failed)
			name_blob(l, by, hex, title);
	}
}

/* An index and what it lists, level by level: no deeper than OCI_DEPTH_MAX. */
static void take_document(struct oci_layout *l, const char *hex, unsigned depth)
{
	json_t *o = read_document(l, hex);
	const json_t *list = json_object_get(o, "manifests"), *descriptor;
	size_t i;

	if (hex != NULL) {
		take_layers(l, hex, json_object_get(o, "layers"));
		take_layers(l, hex, json_object_get(o, "blobs"));
	}
	json_array_foreach (list, i, descriptor) {
		const char *next = hex_of(descriptor);

		if (next == NULL || depth == OCI_DEPTH_MAX || l->failed)
			continue;
		l->failed = l->n_manifests++ == OCI_MANIFESTS_MAX;
		if (!l->failed)
			take_document(l, next, depth + 1);
	}
	json_decref(o);
}

static bool is_layout(int folder)
{
	_cleanup_(freep) char *text = NULL;
	size_t n = 0;
	json_t *o;
	bool is;

	text = (char *)read_file(folder, "oci-layout", &n);
	o = text != NULL ? json_loadb(text, n, JSON_REJECT_DUPLICATES, NULL) : NULL;
	is = text_in(o, "imageLayoutVersion") != NULL;
	json_decref(o);
	return is;
}

struct oci_layout *oci_layout_open(int folder)
{
	struct oci_layout *l = is_layout(folder) ? calloc(1, sizeof(*l)) : NULL;

	if (l == NULL)
		return NULL;
	l->folder = folder;
	take_document(l, NULL, 0);
	l->folder = -1;
	return l;
}

void oci_layout_free(struct oci_layout *l)
{
	for (size_t i = 0; l != NULL && i < l->n; i++)
		free(l->names[i].name);
	if (l != NULL)
		free(l->names);
	free(l);
}

const char *oci_layout_name(const struct oci_layout *l, const char *hex, size_t i)
{
	for (size_t at = 0; !l->failed && at < l->n; at++)
		if (strcmp(l->names[at].hex, hex) == 0 && i-- == 0)
			return l->names[at].name;
	return NULL;
}
