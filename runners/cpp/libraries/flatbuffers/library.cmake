# Generated code fits one version of the library alone: a folder a version, made by that version's
# `flatc --cpp --gen-object-api`.
target_include_directories(flatbuffers SYSTEM INTERFACE libraries/flatbuffers/${flatbuffers_version})
