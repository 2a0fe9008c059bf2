N
&"serve

Neg"	
Ttype"	
Ttype$

xPlaceholder*
dtype0"¿