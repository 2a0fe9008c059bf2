N
&"serve

Neg"	
Ttype"	
Utype$

xPlaceholder*
dtype0"¿