/// Values of any type: from and to the tree that Glaze has for JSON whose type nobody knows.
#pragma once

#include <glaze/json.hpp>
#include <utility>
#include <variant>

#include "wirelab/any.hpp"
#include "wirelab/codec.hpp"

namespace wirelab {

/// The one of Glaze's trees that keeps integers of 64 bits whole.
using Tree = glz::generic_u64;

/// Notes the parts of a tree in order. Glaze reads none that is deeper than 256 levels.
struct Parts {
    any::Value& found;

    void operator()(const auto& plain) const { found.emplace_back(plain); }
    void operator()(const Tree::array_t& list) const {
        found.emplace_back(any::List{list.size()});
        for (const auto& one : list) {
            std::visit(*this, one.data);
        }
    }
    void operator()(const Tree::object_t& object) const {
        found.emplace_back(any::Map{object.size()});
        for (const auto& [key, value] : object) {
            found.emplace_back(key);
            std::visit(*this, value.data);
        }
    }
};

inline any::Value parts_of(const Tree& tree) {
    any::Value found;
    std::visit(Parts{found}, tree.data);
    return found;
}

/// Makes the tree of the items that follow.
struct Grow {
    any::Value::const_iterator& next;

    Tree tree() const { return std::visit(*this, *next++); }

    template <class T>
    static Tree holding(T value) {
        Tree tree;
        tree.data.emplace<T>(std::move(value));
        return tree;
    }

    Tree operator()(const auto& plain) const { return holding(plain); }
    Tree operator()(const any::Bytes&) const { throw Refused("Glaze's tree has no bytes"); }
    Tree operator()(const any::Ext&) const { throw Refused("Glaze's tree has no ext"); }
    Tree operator()(any::List list) const {
        Tree::array_t parts;
        for (; list.count > 0; --list.count) {
            parts.push_back(tree());
        }
        return holding(std::move(parts));
    }
    Tree operator()(any::Map map) const {
        Tree::object_t parts;
        for (; map.count > 0; --map.count) {
            const auto key = tree();
            if (!key.is_string()) {
                throw Refused("a key of Glaze's tree is a text");
            }
            parts.emplace(key.get_string(), tree());
        }
        return holding(std::move(parts));
    }
};

inline Tree tree_of(const any::Value& value) {
    auto next = value.begin();
    return Grow{next}.tree();
}

}  // namespace wirelab
