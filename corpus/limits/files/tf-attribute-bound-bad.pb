L
"serveA

xPlaceholder*
dtype0



f
a
nNega"¿