O
"t0*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t1*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t2*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t3*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t4*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t5*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t6*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t7*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t8*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿O
"t9*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿P
"t10*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿P
"t11*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿P
"t12*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿P
"t13*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿P
"t14*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿P
"t15*2.11.0?

xPlaceholder*
dtype0

yIdentityx*
T0"¿