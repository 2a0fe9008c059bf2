M
"serve*2.11.0:
3
cConst*
valueB8€€€€€ *
dtype0"¿