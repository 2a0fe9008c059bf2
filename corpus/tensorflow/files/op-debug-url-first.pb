O
"serve*2.11.0<
5
xDebugIdentityV2*
grpc://evil:1

debug_urls"¿