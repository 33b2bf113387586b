/// protoc with the generator of C++ alone, which fits the runtime that it is compiled with.
#include <google/protobuf/compiler/command_line_interface.h>
#include <google/protobuf/compiler/cpp/generator.h>

int main(int count, char** words) {
    const google::protobuf::compiler::cpp::CppGenerator generator;
    google::protobuf::compiler::CommandLineInterface line;
    line.RegisterGenerator("--cpp_out", const_cast<google::protobuf::compiler::cpp::CppGenerator*>(&generator), "");
    return line.Run(count, words);
}
