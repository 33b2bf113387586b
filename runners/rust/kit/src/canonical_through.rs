//! Canonical JSON for the message types of libraries that have their own.

/// Gives a library's own message type the canonical JSON of a plain type, by `From<&plain>` and `TryFrom<own>`. It is read
/// and written outside of every clock.
///
/// `canonical_through!(Own, Plain)` needs `Own: Clone + for<'a> From<&'a Plain>` and `Plain: TryFrom<Own>`;
/// `canonical_through!(borrowed OwnRef, Plain)` is for a type with one lifetime, which is only written.
#[macro_export]
macro_rules! canonical_through {
    (borrowed $own:ident, $plain:ty) => {
        $crate::canonical_through!(@serialize [<'a>] $own<'a>, $plain);
    };
    ($own:ty, $plain:ty) => {
        $crate::canonical_through!(@serialize [] $own, $plain);

        impl<'de> $crate::serde::Deserialize<'de> for $own {
            fn deserialize<D>(deserializer: D) -> ::std::result::Result<Self, D::Error>
            where
                D: $crate::serde::Deserializer<'de>,
            {
                let own = {
                    let plain = <$plain as $crate::serde::Deserialize>::deserialize(deserializer)?;
                    <$own as ::std::convert::From<&$plain>>::from(&plain)
                };
                // A copy takes the room of the plain value, which would be a gap on the heap: what grows into one in
                // the loop can't stay there, and is copied.
                ::std::result::Result::Ok(::std::clone::Clone::clone(&own))
            }
        }
    };
    (@serialize [$($generics:tt)*] $own:ty, $plain:ty) => {
        impl $($generics)* $crate::serde::Serialize for $own {
            fn serialize<S>(&self, serializer: S) -> ::std::result::Result<S::Ok, S::Error>
            where
                S: $crate::serde::Serializer,
            {
                let own = ::std::clone::Clone::clone(self);
                let plain = <$plain as ::std::convert::TryFrom<$own>>::try_from(own)
                    .map_err($crate::serde::ser::Error::custom)?;
                $crate::serde::Serialize::serialize(&plain, serializer)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::canonical;

    /// Milliseconds of its own, seconds in canonical JSON.
    #[derive(Clone)]
    struct Own(u64);

    #[derive(Clone)]
    struct OwnRef<'a>(&'a u64);

    impl From<&u64> for Own {
        fn from(seconds: &u64) -> Self {
            Self(seconds * 1000)
        }
    }

    impl TryFrom<Own> for u64 {
        type Error = String;

        fn try_from(own: Own) -> Result<u64, String> {
            let whole = own.0.is_multiple_of(1000).then_some(own.0 / 1000);
            whole.ok_or_else(|| format!("{} ms are no seconds", own.0))
        }
    }

    impl TryFrom<OwnRef<'_>> for u64 {
        type Error = String;

        fn try_from(own: OwnRef) -> Result<u64, String> {
            Own(*own.0).try_into()
        }
    }

    canonical_through!(Own, u64);
    canonical_through!(borrowed OwnRef, u64);

    #[test]
    fn canonical_json_is_that_of_the_plain_type() {
        let own: Own = canonical::read(b"7").unwrap();
        assert_eq!(own.0, 7000);
        let mut json = Vec::new();
        canonical::write(&own, &mut json).unwrap();
        canonical::write(&OwnRef(&2000), &mut json).unwrap();
        assert_eq!(json, b"7\n2\n");
    }

    #[test]
    fn what_the_plain_type_does_not_have_is_an_error() {
        let error = canonical::write(&Own(7), &mut Vec::new()).unwrap_err();
        assert!(error.contains("7 ms are no seconds"), "{error}");
    }
}
