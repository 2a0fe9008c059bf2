V
"serveK

xPlaceholder*
dtype0%
#


f
a
nNega*
TJT"¿