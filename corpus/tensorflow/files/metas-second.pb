<
"serve*2.11.0)

xPlaceholder

yIdentityx"¿<
"x*2.11.0-

xPlaceholder

w	WriteFilexx"¿