I
"serve>
7
pPlaceholder*
dtype0*
shape:þÿÿÿÿÿÿÿÿ"¿