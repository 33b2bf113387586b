/// What the program of the conformance tests asks of Protocol Buffers: it reads each message, and writes it again.
/// Requests and responses follow their length as u32 little-endian.
#include <conformance/conformance.pb.h>
#include <google/protobuf/test_messages_proto2.pb.h>
#include <google/protobuf/test_messages_proto3.pb.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

namespace {

using conformance::ConformanceRequest;
using conformance::ConformanceResponse;
using protobuf_test_messages::proto2::TestAllTypesProto2;
using protobuf_test_messages::proto3::TestAllTypesProto3;

template <class Message>
void again(const std::string& data, ConformanceResponse& response) {
    Message message;
    if (message.ParseFromString(data)) {
        message.SerializeToString(response.mutable_protobuf_payload());
    } else {
        response.set_parse_error("the bytes are not of this message");
    }
}

ConformanceResponse answer(const ConformanceRequest& request) {
    ConformanceResponse response;
    const std::string& type = request.message_type();
    if (type == "conformance.FailureSet") {
        response.set_protobuf_payload("");  // the tests that are known to fail: none
    } else if (!request.has_protobuf_payload() || request.requested_output_format() != conformance::PROTOBUF) {
        response.set_skipped("the binary format alone is measured");
    } else if (type == "protobuf_test_messages.proto2.TestAllTypesProto2") {
        again<TestAllTypesProto2>(request.protobuf_payload(), response);
    } else if (type == "protobuf_test_messages.proto3.TestAllTypesProto3") {
        again<TestAllTypesProto3>(request.protobuf_payload(), response);
    } else {
        response.set_skipped("the library compiles no editions");
    }
    return response;
}

/// Reads all of a buffer; whether there was as much.
bool read(void* buffer, std::size_t size) { return std::fread(buffer, 1, size, stdin) == size; }

bool write(const void* buffer, std::size_t size) { return std::fwrite(buffer, 1, size, stdout) == size; }

std::uint32_t size_in(const unsigned char (&bytes)[4]) {
    return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 | std::uint32_t{bytes[3]} << 24;
}

}  // namespace

int main() {
#ifdef _WIN32
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    unsigned char length[4];
    std::string data;
    while (read(length, sizeof length)) {
        data.resize(size_in(length));
        ConformanceRequest request;
        if (!read(data.data(), data.size()) || !request.ParseFromString(data)) {
            std::fputs("testee-protobuf: a request cannot be read\n", stderr);
            return EXIT_FAILURE;
        }
        const std::string response = answer(request).SerializeAsString();
        for (std::size_t byte = 0; byte < sizeof length; ++byte) {
            length[byte] = static_cast<unsigned char>(response.size() >> (8 * byte));
        }
        if (!write(length, sizeof length) || !write(response.data(), response.size()) || std::fflush(stdout) != 0) {
            return EXIT_FAILURE;
        }
    }
}
