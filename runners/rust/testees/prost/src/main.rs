//! What the program of the conformance tests asks of prost: it reads each message, and writes it again.

#[allow(warnings, clippy::all, clippy::pedantic, clippy::nursery)]
mod messages {
    include!(concat!(env!("OUT_DIR"), "/messages.rs"));
}

use messages::conformance::conformance_request::Payload;
use messages::conformance::conformance_response::Result as Answer;
use messages::conformance::{ConformanceRequest, ConformanceResponse, WireFormat};
use messages::protobuf_test_messages::proto2::TestAllTypesProto2;
use messages::protobuf_test_messages::proto3::TestAllTypesProto3;
use prost::Message;
use wirelab_testee as testee;

fn main() -> std::io::Result<()> {
    testee::serve(|request| {
        let request = ConformanceRequest::decode(request)?;
        let result = Some(answer(&request));
        Ok(ConformanceResponse { result }.encode_to_vec())
    })
}

fn answer(request: &ConformanceRequest) -> Answer {
    let binary = WireFormat::Protobuf as i32;
    match &request.payload {
        Some(Payload::ProtobufPayload(data)) if request.requested_output_format == binary => {
            match request.message_type.as_str() {
                testee::PROTO2 => again::<TestAllTypesProto2>(data),
                testee::PROTO3 => again::<TestAllTypesProto3>(data),
                testee::FAILURES => Answer::ProtobufPayload(Vec::new()),
                _ => Answer::Skipped(testee::NO_EDITIONS.to_owned()),
            }
        }
        _ => Answer::Skipped(testee::BINARY_ALONE.to_owned()),
    }
}

fn again<T: Message + Default>(data: &[u8]) -> Answer {
    match T::decode(data) {
        Ok(message) => Answer::ProtobufPayload(message.encode_to_vec()),
        Err(error) => Answer::ParseError(error.to_string()),
    }
}
