/// What MSGPACK_DEFINE_MAP would write into the shared messages, for types that know nothing of msgpack-c.
#pragma once

// clang-format off
#include <type_traits>  // which msgpack-c 7.0.0 uses and does not include
#include <msgpack.hpp>
// clang-format on

#include "wirelab/messages.hpp"

namespace wirelab {

template <class Value, class Type>
concept Is = std::same_as<std::remove_const_t<Value>, Type>;

#define WIRELAB_PAIR(name) #name, value.name

auto fields(Is<FixedObject> auto& value) {
    return msgpack::type::make_define_map(WIRELAB_PAIR(int_array), WIRELAB_PAIR(float_array),
                                          WIRELAB_PAIR(double_array));
}

auto fields(Is<FixedNameObject> auto& value) {
    return msgpack::type::make_define_map(WIRELAB_PAIR(name0), WIRELAB_PAIR(name1), WIRELAB_PAIR(name2),
                                          WIRELAB_PAIR(name3), WIRELAB_PAIR(name4));
}

auto fields(Is<InnerObject> auto& value) { return msgpack::type::make_define_map(WIRELAB_PAIR(v3s), WIRELAB_PAIR(id)); }

auto fields(Is<AnotherObject> auto& value) {
    return msgpack::type::make_define_map(WIRELAB_PAIR(string), WIRELAB_PAIR(another_string), WIRELAB_PAIR(boolean),
                                          WIRELAB_PAIR(nested_object));
}

auto fields(Is<NestedObject> auto& value) {
    return msgpack::type::make_define_map(WIRELAB_PAIR(fixed_object), WIRELAB_PAIR(fixed_name_object),
                                          WIRELAB_PAIR(another_object), WIRELAB_PAIR(string_array),
                                          WIRELAB_PAIR(string), WIRELAB_PAIR(number), WIRELAB_PAIR(boolean),
                                          WIRELAB_PAIR(another_bool));
}

#undef WIRELAB_PAIR

template <class T>
concept HasFields = requires(T& value) { fields(value); };

}  // namespace wirelab

namespace msgpack {
MSGPACK_API_VERSION_NAMESPACE(MSGPACK_DEFAULT_API_NS) {
    namespace adaptor {

    template <wirelab::HasFields T>
    struct pack<T> {
        template <class Stream>
        packer<Stream>& operator()(packer<Stream>& out, const T& value) const {
            fields(value).msgpack_pack(out);
            return out;
        }
    };

    template <wirelab::HasFields T>
    struct convert<T> {
        const msgpack::object& operator()(const msgpack::object& tree, T& value) const {
            fields(value).msgpack_unpack(tree);
            return tree;
        }
    };

    }  // namespace adaptor
}
}  // namespace msgpack
