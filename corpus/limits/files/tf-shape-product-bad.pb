T
"serveI
B
pPlaceholder*
dtype0*#
shape:€€€€€€€€€€€€"¿