/// The module `arrays`: the nested object and the numeric arrays with FlatMessage's derives, and `serve`, which offers
/// them. A root is a struct, so that an array is its only field; there are no lists of lists, so that the vectors of three
/// numbers stand in one list.
#[macro_export]
macro_rules! arrays {
    () => {
        mod arrays {
            // The code of the derives needs many of the crate's names.
            use flat_message::*;
            use serde::{Deserialize, Serialize};
            use wirelab_kit::{Decode, Encode, Message, Runner, Scenario};
            use wirelab_messages::{
                ARRAY_F32, ARRAY_F64, ARRAY_U16, ARRAY_U32, ARRAY_U64, NESTED_OBJECT,
            };

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            pub struct NestedObject {
                #[flat_message_item(kind = struct, align = 8)]
                pub fixed_object: FixedObject,
                #[flat_message_item(kind = struct, align = 4)]
                pub fixed_name_object: FixedNameObject,
                #[flat_message_item(kind = struct, align = 8)]
                pub another_object: AnotherObject,
                pub string_array: Vec<String>,
                pub string: String,
                pub number: f64,
                pub boolean: bool,
                pub another_bool: bool,
            }

            #[derive(FlatMessageStruct, Serialize, Deserialize)]
            pub struct FixedObject {
                pub int_array: Vec<i32>,
                pub float_array: Vec<f32>,
                pub double_array: Vec<f64>,
            }

            #[derive(FlatMessageStruct, Serialize, Deserialize)]
            pub struct FixedNameObject {
                pub name0: String,
                pub name1: String,
                pub name2: String,
                pub name3: String,
                pub name4: String,
            }

            #[derive(FlatMessageStruct, Serialize, Deserialize)]
            pub struct AnotherObject {
                pub string: String,
                pub another_string: String,
                pub boolean: bool,
                #[flat_message_item(kind = struct, align = 8)]
                pub nested_object: InnerObject,
            }

            #[derive(FlatMessageStruct, Serialize, Deserialize)]
            pub struct InnerObject {
                #[serde(with = "wirelab_flat_message::threes")]
                pub v3s: Vec<f64>,
                pub id: String,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            #[serde(transparent)]
            pub struct ArrayF64 {
                pub values: Vec<f64>,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            #[serde(transparent)]
            pub struct ArrayF32 {
                pub values: Vec<f32>,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            #[serde(transparent)]
            pub struct ArrayU64 {
                pub values: Vec<u64>,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            #[serde(transparent)]
            pub struct ArrayU32 {
                pub values: Vec<u32>,
            }

            #[derive(FlatMessage, Serialize, Deserialize)]
            #[flat_message_options(store_name = false)]
            #[serde(transparent)]
            pub struct ArrayU16 {
                pub values: Vec<u16>,
            }

            impl Message for NestedObject {
                const SCENARIOS: &'static [Scenario] = NESTED_OBJECT;
            }

            impl Message for ArrayF64 {
                const SCENARIOS: &'static [Scenario] = ARRAY_F64;
            }

            impl Message for ArrayF32 {
                const SCENARIOS: &'static [Scenario] = ARRAY_F32;
            }

            impl Message for ArrayU64 {
                const SCENARIOS: &'static [Scenario] = ARRAY_U64;
            }

            impl Message for ArrayU32 {
                const SCENARIOS: &'static [Scenario] = ARRAY_U32;
            }

            impl Message for ArrayU16 {
                const SCENARIOS: &'static [Scenario] = ARRAY_U16;
            }

            /// Offers the nested object and the arrays.
            pub fn serve<C>(runner: Runner<C>) -> Runner<C>
            where
                C: Encode<NestedObject> + for<'a> Decode<'a, NestedObject>,
                C: Encode<ArrayF64> + for<'a> Decode<'a, ArrayF64>,
                C: Encode<ArrayF32> + for<'a> Decode<'a, ArrayF32>,
                C: Encode<ArrayU64> + for<'a> Decode<'a, ArrayU64>,
                C: Encode<ArrayU32> + for<'a> Decode<'a, ArrayU32>,
                C: Encode<ArrayU16> + for<'a> Decode<'a, ArrayU16>,
            {
                runner
                    .message::<NestedObject>()
                    .message::<ArrayF64>()
                    .message::<ArrayF32>()
                    .message::<ArrayU64>()
                    .message::<ArrayU32>()
                    .message::<ArrayU16>()
            }
        }
    };
}
