9
"t0*2.11.0)

xPlaceholder

yIdentityx"¿9
"t1*2.11.0)

xPlaceholder

yIdentityx"¿9
"t2*2.11.0)

xPlaceholder

yIdentityx"¿9
"t3*2.11.0)

xPlaceholder

yIdentityx"¿9
"t4*2.11.0)

xPlaceholder

yIdentityx"¿9
"t5*2.11.0)

xPlaceholder

yIdentityx"¿9
"t6*2.11.0)

xPlaceholder

yIdentityx"¿9
"t7*2.11.0)

xPlaceholder

yIdentityx"¿9
"t8*2.11.0)

xPlaceholder

yIdentityx"¿9
"t9*2.11.0)

xPlaceholder

yIdentityx"¿:
"t10*2.11.0)

xPlaceholder

yIdentityx"¿:
"t11*2.11.0)

xPlaceholder

yIdentityx"¿:
"t12*2.11.0)

xPlaceholder

yIdentityx"¿:
"t13*2.11.0)

xPlaceholder

yIdentityx"¿:
"t14*2.11.0)

xPlaceholder

yIdentityx"¿:
"t15*2.11.0)

xPlaceholder

yIdentityx"¿