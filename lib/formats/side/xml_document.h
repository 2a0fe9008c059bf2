/* XML of no format: project files, property lists, settings of editors, notes.  Text in elements is a side file as text in lines is, as
 * long as no program acts on it by itself: browsers (XHTML, SVG, style sheets), WPF, Spring and Java make objects of documents of
 * theirs, and those are told by their namespace or root. */
#pragma once

#include "format.h"

extern const struct wlk_format format_xml;
