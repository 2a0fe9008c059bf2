1
"serve&
	
nNoOp

yNegn*
T0"¿