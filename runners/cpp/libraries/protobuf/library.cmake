# The lite runtime: encoding and decoding are those of the full one, reflection is left out. The files are those of
# cmake/libprotobuf-lite.cmake in the same source. Compiled as the runners are.
set(protobuf_files
  any_lite arena arenastring arenaz_sampler extension_set generated_enum_util generated_message_tctable_lite
  generated_message_util implicit_weak_message inlined_string_field io/coded_stream io/io_win32 io/strtod
  io/zero_copy_stream io/zero_copy_stream_impl io/zero_copy_stream_impl_lite map message_lite parse_context
  repeated_field repeated_ptr_field stubs/bytestream stubs/common stubs/int128 stubs/status stubs/statusor
  stubs/stringpiece stubs/stringprintf stubs/structurally_valid stubs/strutil stubs/time wire_format_lite)
list(TRANSFORM protobuf_files PREPEND "${include}/google/protobuf/")
list(TRANSFORM protobuf_files APPEND ".cc")

add_library(protobuf-settings INTERFACE)
target_include_directories(protobuf-settings SYSTEM INTERFACE "${include}")
target_compile_options(protobuf-settings INTERFACE -w)
# libc++ 22's float.h gives no limits once macOS' math.h has asked it for INFINITY (llvm/llvm-project#172539).
target_compile_options(protobuf-settings INTERFACE "$<$<PLATFORM_ID:Darwin>:SHELL:-include float.h>")
if(NOT WIN32)
  target_compile_definitions(protobuf-settings INTERFACE HAVE_PTHREAD)
  target_compile_definitions(protobuf INTERFACE HAVE_PTHREAD)
endif()
wirelab_objects(protobuf-code ${protobuf_files})

# protoc, for where the pinned program cannot be had, with the C++ generator alone: the full runtime that its parser
# needs, and libprotoc. Generated code fits one version of the runtime, so that it is compiled from the runtime's own
# source. Most of that time would go into the same headers again and again: files whose names don't clash are compiled as
# one, last in each group one that leaves its macros defined.
set(protoc_front
  any any.pb compiler/code_generator compiler/parser compiler/zip_writer compiler/command_line_interface)
set(protoc_generator
  compiler/plugin.pb compiler/importer compiler/cpp/enum compiler/cpp/enum_field compiler/cpp/extension
  compiler/cpp/field compiler/cpp/generator compiler/cpp/map_field compiler/cpp/message compiler/cpp/padding_optimizer
  compiler/cpp/parse_function_generator compiler/cpp/primitive_field compiler/cpp/service compiler/cpp/string_field
  compiler/cpp/file)
set(protoc_descriptors
  descriptor descriptor.pb descriptor_database dynamic_message extension_set_heavy generated_message_bases
  generated_message_tctable_full)
set(protoc_messages
  io/gzip_stream io/printer io/tokenizer map_field message reflection_ops service stubs/substitute text_format
  unknown_field_set wire_format compiler/cpp/message_field generated_message_reflection compiler/cpp/helpers)
set(protoc_files "${include}/google/protobuf/compiler/subprocess.cc") # which brings in all of Windows
foreach(group protoc_front protoc_generator protoc_descriptors protoc_messages)
  list(TRANSFORM ${group} PREPEND "${include}/google/protobuf/")
  list(TRANSFORM ${group} APPEND ".cc")
  set_source_files_properties(${${group}} PROPERTIES UNITY_GROUP ${group})
  list(APPEND protoc_files ${${group}})
endforeach()
wirelab_compiler(protobuf protoc libraries/protobuf/protoc.cpp ${protoc_files})
if(NOT WIRELAB_SHARED)
  target_link_libraries(protobuf-code PRIVATE protobuf-settings)
  get_target_property(is_given protoc IMPORTED)
  if(NOT is_given)
    set_target_properties(protoc PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    target_link_libraries(protoc PRIVATE protobuf-settings protobuf-code)
    add_dependencies(shared-protobuf protoc)
  endif()
  add_dependencies(shared-protobuf protobuf-code)
endif()

set(generated "${CMAKE_BINARY_DIR}/types/protobuf")
file(MAKE_DIRECTORY "${generated}")
add_custom_command(
  OUTPUT "${generated}/types.pb.cc" "${generated}/types.pb.h"
  COMMAND protoc --cpp_out=lite:${generated} "--proto_path=${WIRELAB_TYPES}/cpp/protobuf" types.proto
  DEPENDS protoc "${WIRELAB_TYPES}/cpp/protobuf/types.proto"
  VERBATIM)
add_library(protobuf-types OBJECT EXCLUDE_FROM_ALL "${generated}/types.pb.cc" "${generated}/types.pb.h")
target_link_libraries(protobuf-types PRIVATE protobuf-settings)
target_include_directories(protobuf-types PRIVATE "${generated}")
target_include_directories(protobuf SYSTEM INTERFACE "${generated}")
target_include_directories(protobuf INTERFACE libraries/protobuf)
target_link_libraries(protobuf INTERFACE protobuf-types $<TARGET_OBJECTS:protobuf-types> $<TARGET_OBJECTS:protobuf-code>)
