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

add_library(protobuf-code OBJECT EXCLUDE_FROM_ALL ${protobuf_files} libraries/protobuf/arrays.pb.cc)
target_include_directories(protobuf-code SYSTEM PUBLIC "${include}" libraries/protobuf)
target_compile_options(protobuf-code PRIVATE -w)
# libc++ 22's float.h gives no limits once macOS' math.h has asked it for INFINITY (llvm/llvm-project#172539).
target_compile_options(protobuf-code PRIVATE "$<$<PLATFORM_ID:Darwin>:SHELL:-include float.h>")
if(NOT WIN32)
  target_compile_definitions(protobuf-code PUBLIC HAVE_PTHREAD)
endif()
target_link_libraries(protobuf INTERFACE protobuf-code $<TARGET_OBJECTS:protobuf-code>)
