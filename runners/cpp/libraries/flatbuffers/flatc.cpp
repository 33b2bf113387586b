/// flatc with the generators of those languages alone in which the lab has FlatBuffers; others take long to compile.
#include "flatbuffers/flatc.h"

#include <cstdio>
#include <cstdlib>

#include "flatbuffers/file_manager.h"
#include "idl_gen_cpp.h"
#include "idl_gen_rust.h"

namespace flatbuffers {

void LogCompilerWarn(const std::string& text) { std::fprintf(stderr, "%s\n", text.c_str()); }

void LogCompilerError(const std::string& text) {
    LogCompilerWarn(text);
    std::exit(1);
}

// Services of gRPC, which no type of the lab has.
bool GenerateCppGRPC(const Parser&, const std::string&, const std::string&) { return false; }

}  // namespace flatbuffers

int main(int count, const char** words) {
    flatbuffers::FlatCompiler::InitParams handlers;
    handlers.warn_fn = [](auto*, const std::string& text, bool) { flatbuffers::LogCompilerWarn(text); };
    handlers.error_fn = [](auto*, const std::string& text, bool, bool) { flatbuffers::LogCompilerError(text); };
    flatbuffers::FlatCompiler compiler(handlers);
    compiler.RegisterCodeGenerator({"c", "cpp", "", "C++"}, flatbuffers::NewCppCodeGenerator());
    compiler.RegisterCodeGenerator({"r", "rust", "", "Rust"}, flatbuffers::NewRustCodeGenerator());
    auto options = compiler.ParseFromCommandLineArguments(count, words);
    flatbuffers::RealFileSaver files;
    options.opts.file_saver = &files;
    return compiler.Compile(options);
}
