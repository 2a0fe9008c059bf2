W
"serveL
E
pPlaceholder*
dtype0*&
_output_shapes
:
€€€€€€€€@"¿