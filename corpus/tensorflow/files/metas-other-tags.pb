;
"a"b*2.11.0)

xPlaceholder

yIdentityx"¿8
"a*2.11.0)

xPlaceholder

yIdentityx"¿