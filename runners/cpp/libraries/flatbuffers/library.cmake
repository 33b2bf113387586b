# What flatc made of the schema, which gives no warnings, and what the generated conversions call.
target_include_directories(flatbuffers SYSTEM INTERFACE "${WIRELAB_TYPES}/cpp/flatbuffers/flatc")
target_include_directories(flatbuffers INTERFACE libraries/flatbuffers)
