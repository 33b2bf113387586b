# The headers do not say their version, so that it is what the origin says: see runners/cpp/sources.toml.
target_include_directories(zpp_bits INTERFACE libraries/zpp_bits)
target_compile_definitions(zpp_bits INTERFACE ZPP_BITS_VERSION="${zpp_bits_version}")
