]
"serve*2.11.0J
"
xDebugIdentityV2in7*
T0

in7Placeholder*
dtype0"¿