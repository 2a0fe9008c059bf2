T
"serveI

xPlaceholder*
dtype0
	
nNoOp

yNegx^n*
T0"¿