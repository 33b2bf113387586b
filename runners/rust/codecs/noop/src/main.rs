//! The control that does nothing: the cost of the timed loops themselves.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirelab_kit::{Codec, Decode, Encode, Message, Role, Runner, Scenario};
use wirelab_messages::{Shared, Visit, visit_shared};

#[derive(Default)]
struct Noop;

/// The message `T`, read from its canonical JSON and discarded.
#[derive(Serialize, Deserialize)]
#[serde(from = "T", bound = "T: for<'a> Deserialize<'a>")]
struct Nothing<T>(#[serde(skip)] PhantomData<T>);

impl<T> From<T> for Nothing<T> {
    fn from(_: T) -> Self {
        Self(PhantomData)
    }
}

impl<T: Shared> Message for Nothing<T> {
    const SCENARIOS: &'static [Scenario] = T::SCENARIOS;
    const FEATURES: &'static [&'static str] = T::FEATURES;
}

impl Codec for Noop {
    type Buffer = Vec<u8>;
    type EncodeError = Infallible;
    type DecodeError = Infallible;
}

impl<T> Encode<Nothing<T>> for Noop {
    fn encode(&mut self, _: &Nothing<T>, _: &mut Vec<u8>) -> Result<(), Infallible> {
        Ok(())
    }
}

impl<T> Decode<'_, Nothing<T>> for Noop {
    fn decode(&mut self, _: &[u8]) -> Result<Nothing<T>, Infallible> {
        Ok(Nothing(PhantomData))
    }
}

struct Offer(Runner<Noop>);

impl Visit for Offer {
    fn visit<T: Shared>(self) -> Self {
        Self(self.0.message::<Nothing<T>>())
    }
}

fn main() -> ExitCode {
    let runner = Runner::control("rust/noop", Role::Nothing);
    visit_shared(Offer(runner)).0.run()
}
