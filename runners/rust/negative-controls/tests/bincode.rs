//! What the published size is not: the older encoding, by both majors.

use bincode::config;
use wirelab_bincode::ProcessCreated;
use wirelab_kit::canonical;

fn process_created() -> ProcessCreated {
    let json = include_bytes!("../../messages/testdata/process-created.json");
    canonical::read(json).unwrap()
}

#[test]
fn the_published_size_is_that_of_the_standard_configuration() {
    let encoded = bincode::encode_to_vec(process_created(), config::standard()).unwrap();
    assert_eq!(encoded.len(), 234);
}

#[test]
fn the_legacy_configuration_is_larger() {
    let encoded = bincode::encode_to_vec(process_created(), config::legacy()).unwrap();
    assert_eq!(encoded.len(), 261);
}

#[test]
fn bincode_1_is_larger() {
    assert_eq!(bincode1::serialize(&process_created()).unwrap().len(), 261);
}
