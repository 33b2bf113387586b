# The tests' schemas without editions, which this protoc does not compile, and those that they import.
set(schemas
  conformance/conformance google/protobuf/test_messages_proto2 google/protobuf/test_messages_proto3 google/protobuf/any
  google/protobuf/duration google/protobuf/field_mask google/protobuf/struct google/protobuf/timestamp
  google/protobuf/wrappers)
list(TRANSFORM schemas APPEND ".proto" OUTPUT_VARIABLE protos)
set(made "${CMAKE_BINARY_DIR}/testees/protobuf")
list(TRANSFORM schemas PREPEND "${made}/" OUTPUT_VARIABLE files)
list(TRANSFORM files APPEND ".pb.cc" OUTPUT_VARIABLE sources)
list(TRANSFORM files APPEND ".pb.h" OUTPUT_VARIABLE headers)
file(MAKE_DIRECTORY "${made}")
get_target_property(include protobuf-settings INTERFACE_INCLUDE_DIRECTORIES)
add_custom_command(
  OUTPUT ${sources} ${headers}
  COMMAND protoc --cpp_out=lite:${made} "--proto_path=${WIRELAB_SCHEMAS}" "--proto_path=${include}" ${protos}
  DEPENDS protoc "${WIRELAB_SCHEMAS}/descriptors.bin"
  VERBATIM)
add_library(protobuf-testee-messages OBJECT EXCLUDE_FROM_ALL ${sources} ${headers})
target_include_directories(protobuf-testee-messages SYSTEM BEFORE PUBLIC "${made}")
target_link_libraries(protobuf-testee-messages PUBLIC protobuf-settings)
target_link_libraries(testee-protobuf PRIVATE protobuf-testee-messages $<TARGET_OBJECTS:protobuf-code>)
# A message of the tests has fields named concept and requires, which this protoc does not take for words of C++20.
set_target_properties(protobuf-testee-messages testee-protobuf PROPERTIES CXX_STANDARD 17)
