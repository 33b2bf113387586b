//! What the program of the conformance tests asks of buffa: it reads each message, and writes it again.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

use buffa::{EncodeError, Message};
use messages::conformance::__buffa::oneof::conformance_request::Payload;
use messages::conformance::__buffa::oneof::conformance_response::Result as Answer;
use messages::conformance::{ConformanceRequest, ConformanceResponse, WireFormat};
use messages::protobuf_test_messages::editions::TestAllTypesEdition2023;
use messages::protobuf_test_messages::editions::proto2::TestAllTypesProto2 as Proto2Editions;
use messages::protobuf_test_messages::editions::proto3::TestAllTypesProto3 as Proto3Editions;
use messages::protobuf_test_messages::proto2::TestAllTypesProto2;
use messages::protobuf_test_messages::proto3::TestAllTypesProto3;
use wirelab_testee as testee;

fn main() -> std::io::Result<()> {
    testee::serve(|request| {
        let request = ConformanceRequest::decode_from_slice(request)?;
        let response = ConformanceResponse {
            result: Some(answer(&request)?),
            ..Default::default()
        };
        Ok(encoded(&response)?)
    })
}

fn answer(request: &ConformanceRequest) -> Result<Answer, EncodeError> {
    match &request.payload {
        Some(Payload::ProtobufPayload(data))
            if request.requested_output_format == WireFormat::PROTOBUF =>
        {
            match request.message_type.as_str() {
                testee::PROTO2 => again::<TestAllTypesProto2>(data),
                testee::PROTO3 => again::<TestAllTypesProto3>(data),
                testee::PROTO2_EDITIONS => again::<Proto2Editions>(data),
                testee::PROTO3_EDITIONS => again::<Proto3Editions>(data),
                testee::EDITION_2023 => again::<TestAllTypesEdition2023>(data),
                testee::FAILURES => Ok(Answer::ProtobufPayload(Vec::new())),
                other => Ok(Answer::Skipped(format!("there is no {other}"))),
            }
        }
        _ => Ok(Answer::Skipped(testee::BINARY_ALONE.to_owned())),
    }
}

fn again<T: Message>(data: &[u8]) -> Result<Answer, EncodeError> {
    match T::decode_from_slice(data) {
        Ok(message) => Ok(Answer::ProtobufPayload(encoded(&message)?)),
        Err(error) => Ok(Answer::ParseError(error.to_string())),
    }
}

fn encoded(message: &impl Message) -> Result<Vec<u8>, EncodeError> {
    let mut data = Vec::new();
    message.try_encode(&mut data)?;
    Ok(data)
}
