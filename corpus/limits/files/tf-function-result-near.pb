d
"serveY

xPlaceholder*
dtype03
1

f
a
r
nNega*
T0"
ra"¿