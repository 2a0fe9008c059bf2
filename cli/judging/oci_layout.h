/* A folder of the OCI image layout (image-spec, image-layout.md): oci-layout, index.json, blobs/sha256/DIGEST.  Its manifests say
 * what their blobs are called where somebody pulls them, and by these names they are judged.
 *
 * Index and manifests are read here for names alone, each at most OCI_DOCUMENT_MAX bytes, a manifest only if it has the digest that
 * is its name; what cannot be read names nothing, and its blobs are judged as they are. */
#pragma once

#include <stddef.h>

#define OCI_DOCUMENT_MAX ((size_t)4 << 20) /* bytes: what registries take at most */
#define OCI_MANIFESTS_MAX 256u             /* of a layout, indexes in indexes counted */
#define OCI_NAMES_MAX 4096u                /* of blobs, in all */
#define OCI_SAME_MAX 8u                    /* blobs of one name */
#define OCI_DEPTH_MAX 4u                   /* indexes in indexes */
#define OCI_BLOBS "blobs/sha256"

struct oci_layout;

/* @folder: borrowed for the call.  Return: NULL: it is none, or there is no memory. */
struct oci_layout *oci_layout_open(int folder);
void oci_layout_free(struct oci_layout *l); /* NULL is fine */

/**
 * oci_layout_name() - the i-th of the names of a blob
 * @hex: 64 digits
 * Return: a path below the layout, `manifest-` with twelve digits of who names it first; NULL: there are no more.
 */
const char *oci_layout_name(const struct oci_layout *l, const char *hex, size_t i);
