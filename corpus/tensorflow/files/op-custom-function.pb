L
"serve*2.11.09

xPlaceholder*
dtype0


f

xMy>Op"¿