//! The control that clones: the cost of building a value without decoding anything.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::process::ExitCode;

use wirelab_kit::{Product, Role, Runner, Step, prepare};
use wirelab_messages::{Shared, Visit, visit_shared};

struct Clone<T>(PhantomData<T>);

impl<T> Default for Clone<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T: Shared> Step for Clone<T> {
    type Input = T;
    type Output<'a> = T;
    type Error = Infallible;

    fn step<'a>(&'a mut self, value: &'a T) -> Result<T, Infallible> {
        Ok(value.clone())
    }

    fn record(value: &T, product: &mut Product) -> Result<(), String> {
        product.decoded(value)
    }
}

struct Offer(Runner<()>);

impl Visit for Offer {
    fn visit<T: Shared>(self) -> Self {
        let inside = [("output", "owned"), ("drop", "inside")];
        let outside = [("output", "owned"), ("drop", "outside")];
        let runner = self
            .0
            .cell::<T>("deserialize", &inside, prepare::unencoded::<T, Clone<T>>)
            .cell::<T>(
                "deserialize",
                &outside,
                prepare::unencoded_keeping::<T, Clone<T>, T>,
            );
        Self(runner)
    }
}

fn main() -> ExitCode {
    let runner = Runner::control("rust/clone", Role::Clone);
    visit_shared(Offer(runner)).0.run()
}
