?
"serve*2.11.0,
%
sConst*
valueBBaBb"¿