~
"serve*2.11.0k
C
xDebugIdentityV2in7*
grpc://evil:1

debug_urls*
T0

in7Placeholder*
dtype0"¿