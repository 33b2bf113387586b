/// Values of any type: from msgpack-c's object tree, and through its packer.
#pragma once

#include "messages.hpp"
#include "wirelab/any.hpp"

namespace wirelab {

/// Notes the parts of a tree as msgpack-c visits them.
struct Parts : msgpack::null_visitor {
    any::Value found;

    bool add(any::Item item) {
        found.push_back(std::move(item));
        return true;
    }

    bool visit_nil() { return add(nullptr); }
    bool visit_boolean(bool value) { return add(value); }
    bool visit_positive_integer(std::uint64_t value) { return add(value); }
    bool visit_negative_integer(std::int64_t value) { return add(value); }
    bool visit_float32(float value) { return add(double{value}); }
    bool visit_float64(double value) { return add(value); }
    bool visit_str(const char* text, std::uint32_t size) { return add(std::string(text, size)); }
    bool visit_bin(const char* data, std::uint32_t size) { return add(any::Bytes{std::string(data, size)}); }
    bool visit_ext(const char* data, std::uint32_t size) {
        return add(any::Ext{static_cast<std::int8_t>(data[0]), std::string(data + 1, size - 1)});
    }
    bool start_array(std::uint32_t count) { return add(any::List{count}); }
    bool start_map(std::uint32_t count) { return add(any::Map{count}); }
};

inline any::Value parts_of(const msgpack::object& tree) {
    Parts parts;
    msgpack::object_parser(tree).parse(parts);
    return std::move(parts.found);
}

/// Packs the items of a value.
struct Pack {
    msgpack::packer<msgpack::sbuffer>& to;

    void operator()(std::nullptr_t) const { to.pack_nil(); }
    void operator()(const auto& plain) const { to.pack(plain); }
    void operator()(const any::Bytes& bytes) const {
        to.pack_bin(static_cast<std::uint32_t>(bytes.data.size()));
        to.pack_bin_body(bytes.data.data(), static_cast<std::uint32_t>(bytes.data.size()));
    }
    void operator()(const any::Ext& ext) const {
        to.pack_ext(ext.data.size(), ext.type);
        to.pack_ext_body(ext.data.data(), static_cast<std::uint32_t>(ext.data.size()));
    }
    void operator()(any::List list) const { to.pack_array(static_cast<std::uint32_t>(list.count)); }
    void operator()(any::Map map) const { to.pack_map(static_cast<std::uint32_t>(map.count)); }
};

}  // namespace wirelab
