/// The shared messages as cereal sees them.
#pragma once

#include <cereal/types/array.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>

#include "wirelab/messages.hpp"

namespace wirelab {

void serialize(auto& archive, FixedObject& value) { archive(value.int_array, value.float_array, value.double_array); }

void serialize(auto& archive, FixedNameObject& value) {
    archive(value.name0, value.name1, value.name2, value.name3, value.name4);
}

void serialize(auto& archive, InnerObject& value) { archive(value.v3s, value.id); }

void serialize(auto& archive, AnotherObject& value) {
    archive(value.string, value.another_string, value.boolean, value.nested_object);
}

void serialize(auto& archive, NestedObject& value) {
    archive(value.fixed_object, value.fixed_name_object, value.another_object, value.string_array, value.string,
            value.number, value.boolean, value.another_bool);
}

}  // namespace wirelab
