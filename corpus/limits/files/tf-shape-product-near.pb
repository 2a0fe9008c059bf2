U
"serveJ
C
pPlaceholder*
dtype0*$
shape:ÿÿÿÿÿÿÿÿÿ€€€€"¿