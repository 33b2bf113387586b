//! What the program of the conformance tests asks of google-protobuf: it reads each message, and writes it again.

// The generated code calls the library by the name that it had up to version 4.36.
extern crate google_protobuf as protobuf;

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/conformance/generated.rs"));
}

use google_protobuf::{Message, Parse, Serialize, SerializeError};
use messages::conformance_conformance_proto::conformance_request::PayloadOneof as Payload;
use messages::conformance_conformance_proto::{
    ConformanceRequest, ConformanceResponse, WireFormat,
};
use messages::google_protobuf_test_messages_edition2023_proto::TestAllTypesEdition2023;
use messages::google_protobuf_test_messages_proto2_editions_proto::TestAllTypesProto2 as Proto2Editions;
use messages::google_protobuf_test_messages_proto2_proto::TestAllTypesProto2;
use messages::google_protobuf_test_messages_proto3_editions_proto::TestAllTypesProto3 as Proto3Editions;
use messages::google_protobuf_test_messages_proto3_proto::TestAllTypesProto3;
use wirelab_testee as testee;

fn main() -> std::io::Result<()> {
    testee::serve(|request| {
        let request = ConformanceRequest::parse(request)?;
        Ok(answer(&request)?.serialize()?)
    })
}

fn answer(request: &ConformanceRequest) -> Result<ConformanceResponse, SerializeError> {
    match request.payload() {
        Payload::ProtobufPayload(data)
            if request.requested_output_format() == WireFormat::Protobuf =>
        {
            match &*request.message_type().to_string() {
                testee::PROTO2 => again::<TestAllTypesProto2>(data),
                testee::PROTO3 => again::<TestAllTypesProto3>(data),
                testee::PROTO2_EDITIONS => again::<Proto2Editions>(data),
                testee::PROTO3_EDITIONS => again::<Proto3Editions>(data),
                testee::EDITION_2023 => again::<TestAllTypesEdition2023>(data),
                testee::FAILURES => Ok(payload(&[])),
                other => Ok(skipped(&format!("there is no {other}"))),
            }
        }
        _ => Ok(skipped(testee::BINARY_ALONE)),
    }
}

fn again<T: Message>(data: &[u8]) -> Result<ConformanceResponse, SerializeError> {
    match T::parse(data) {
        Ok(message) => Ok(payload(&message.serialize()?)),
        Err(error) => {
            let mut response = ConformanceResponse::new();
            response.set_parse_error(error.to_string());
            Ok(response)
        }
    }
}

fn payload(data: &[u8]) -> ConformanceResponse {
    let mut response = ConformanceResponse::new();
    response.set_protobuf_payload(data);
    response
}

fn skipped(reason: &str) -> ConformanceResponse {
    let mut response = ConformanceResponse::new();
    response.set_skipped(reason);
    response
}
