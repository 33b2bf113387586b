//! What the program of the conformance tests asks of rust-protobuf: it reads each message, and writes it again.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages/mod.rs"));
}

use messages::conformance::conformance_request::Payload;
use messages::conformance::conformance_response::Result as Answer;
use messages::conformance::{ConformanceRequest, ConformanceResponse, WireFormat};
use messages::test_messages_proto2::TestAllTypesProto2;
use messages::test_messages_proto3::TestAllTypesProto3;
use protobuf::Message;
use wirelab_testee as testee;

fn main() -> std::io::Result<()> {
    testee::serve(|request| {
        let request = ConformanceRequest::parse_from_bytes(request)?;
        let mut response = ConformanceResponse::new();
        response.result = Some(answer(&request)?);
        Ok(response.write_to_bytes()?)
    })
}

fn answer(request: &ConformanceRequest) -> protobuf::Result<Answer> {
    let binary = WireFormat::PROTOBUF.into();
    match &request.payload {
        Some(Payload::ProtobufPayload(data)) if request.requested_output_format == binary => {
            match request.message_type.as_str() {
                testee::PROTO2 => again::<TestAllTypesProto2>(data),
                testee::PROTO3 => again::<TestAllTypesProto3>(data),
                testee::FAILURES => Ok(Answer::ProtobufPayload(Vec::new())),
                _ => Ok(Answer::Skipped(testee::NO_EDITIONS.to_owned())),
            }
        }
        _ => Ok(Answer::Skipped(testee::BINARY_ALONE.to_owned())),
    }
}

fn again<T: Message>(data: &[u8]) -> protobuf::Result<Answer> {
    match T::parse_from_bytes(data) {
        Ok(message) => Ok(Answer::ProtobufPayload(message.write_to_bytes()?)),
        Err(error) => Ok(Answer::ParseError(error.to_string())),
    }
}
