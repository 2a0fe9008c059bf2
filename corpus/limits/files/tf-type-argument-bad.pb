U
"serveJ

xPlaceholder*
dtype0$
"


f
a
nNega*
T0"¿