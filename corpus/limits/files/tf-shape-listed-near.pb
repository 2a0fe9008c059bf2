O
"serveD
=
pPlaceholder*
dtype0*
_output_shapes

:"¿