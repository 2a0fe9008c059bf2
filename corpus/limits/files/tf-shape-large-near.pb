D
"serve9
2
pPlaceholder*
dtype0*
shape
:€€€€@"¿