/// From canonical JSON to a value, with nlohmann/json's parser.
///
/// Its events fill the value as they come: no tree of the document is built, which for 64 MiB of numbers would be twice
/// as large, and a float is read from its own digits and not by way of a double.
#pragma once

#include <bitset>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <format>
#include <nlohmann/json.hpp>
#include <utility>

#include "base64.hpp"
#include "shapes.hpp"

namespace wirelab::canonical {

/// What the parser's next value is stored into. A value of another type than the message has there is refused.
class Slot {
public:
    Slot() = default;
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;
    virtual ~Slot() = default;

    /// A number with a minus sign, one without, and one with a fraction or an exponent.
    virtual void negative(std::int64_t) { refuse("a number"); }
    virtual void natural(std::uint64_t) { refuse("a number"); }
    virtual void real(double, const std::string&) { refuse("a number"); }
    virtual void boolean(bool) { refuse("true or false"); }
    virtual void text(std::string&) { refuse("a string"); }
    virtual void open_list() { refuse("a list"); }
    virtual void open_object() { refuse("an object"); }
    /// Of a list, where its next element is stored; of an object, the member of this name.
    virtual Slot& element() { refuse("a list"); }
    virtual Slot& member(const std::string&) { refuse("an object"); }
    virtual void close() {}
    /// Nothing, where there may be nothing; and where a value that is there is stored.
    virtual void null() { refuse("null"); }
    virtual Slot& value() { return *this; }

    [[noreturn]] static void refuse(std::string_view found) {
        throw Refused(std::format("{} stands where the message has another type", found));
    }
};

/// The slot of a value of shape T. `to` is set before it is used.
template <class T>
class Into;

template <Number T>
class Into<T> final : public Slot {
public:
    T* to = nullptr;

    void negative(std::int64_t number) override {
        if constexpr (std::floating_point<T>) {
            *to = -static_cast<T>(-static_cast<std::uint64_t>(number));  // so that -0 keeps its sign
        } else {
            store(number);
        }
    }

    void natural(std::uint64_t number) override { store(number); }

    void real(double number, const std::string& digits) override {
        if constexpr (std::same_as<T, double>) {
            *to = number;
        } else if constexpr (std::same_as<T, float>) {
            *to = std::strtof(digits.c_str(), nullptr);
            if (!std::isfinite(*to)) {
                throw Refused(std::format("{} is too large for its type", digits));
            }
        } else {
            throw Refused(std::format("{} is no integer of its type", digits));
        }
    }

private:
    void store(std::integral auto number) {
        if constexpr (std::integral<T>) {
            if (!std::in_range<T>(number)) {
                throw Refused(std::format("{} is too large for its type", number));
            }
        }
        *to = static_cast<T>(number);
    }
};

template <>
class Into<bool> final : public Slot {
public:
    bool* to = nullptr;
    void boolean(bool value) override { *to = value; }
};

template <>
class Into<std::string> final : public Slot {
public:
    std::string* to = nullptr;
    void text(std::string& value) override { *to = std::move(value); }
};

template <>
class Into<Base64> final : public Slot {
public:
    std::vector<std::uint8_t>* to = nullptr;
    void text(std::string& value) override { *to = from_base64(value); }
};

/// An integer of 128 bits is a text of decimal digits.
template <Wide T>
class Into<T> final : public Slot {
public:
    T* to = nullptr;

    void text(std::string& digits) override {
        const auto* end = digits.data() + digits.size();
        if (const auto read = std::from_chars(digits.data(), end, *to); read.ec != std::errc{} || read.ptr != end) {
            throw Refused(std::format("{} is no integer of its type", digits));
        }
    }
};

template <Enum T>
class Into<T> final : public Slot {
public:
    T* to = nullptr;

    void text(std::string& name) override {
        for (const auto& [known, value] : variants<T>) {
            if (known == name) {
                *to = value;
                return;
            }
        }
        throw Refused(std::format("{} is no value of its enumeration", name));
    }
};

template <class T>
class Into<std::optional<T>> final : public Slot {
public:
    std::optional<ValueOf<T>>* to = nullptr;

    void null() override { to->reset(); }

    Slot& value() override {
        item_.to = &to->emplace();
        return item_.value();
    }

private:
    Into<T> item_;
};

template <class T>
class Into<std::map<std::string, T>> final : public Slot {
public:
    std::map<std::string, ValueOf<T>>* to = nullptr;

    void open_object() override { to->clear(); }

    Slot& member(const std::string& name) override {
        const auto [place, is_new] = to->try_emplace(name);
        if (!is_new) {
            throw Refused(std::format("{} stands there twice", name));
        }
        item_.to = &place->second;
        return item_;
    }

private:
    Into<T> item_;
};

template <class T>
class Into<std::vector<T>> final : public Slot {
public:
    std::vector<ValueOf<T>>* to = nullptr;

    void open_list() override { to->clear(); }

    Slot& element() override {
        item_.to = &to->emplace_back();
        return item_;
    }

private:
    Into<T> item_;
};

/// Its elements have no address.
template <>
class Into<std::vector<bool>> final : public Slot {
public:
    std::vector<bool>* to = nullptr;

    void open_list() override { to->clear(); }
    Slot& element() override { return item_; }

private:
    class Item final : public Slot {
    public:
        explicit Item(Into& list) : list_(list) {}
        void boolean(bool value) override { list_.to->push_back(value); }

    private:
        Into& list_;
    };

    Item item_{*this};
};

template <class T, std::size_t Count>
class Into<std::array<T, Count>> final : public Slot {
public:
    std::array<ValueOf<T>, Count>* to = nullptr;

    void open_list() override { filled_ = 0; }

    Slot& element() override {
        if (filled_ == Count) {
            throw Refused(std::format("a list has more than {} elements", Count));
        }
        item_.to = &(*to)[filled_++];
        return item_;
    }

    void close() override {
        if (filled_ != Count) {
            throw Refused(std::format("a list has {} elements instead of {}", filled_, Count));
        }
    }

private:
    Into<T> item_;
    std::size_t filled_ = 0;
};

template <class... T>
class Into<std::tuple<T...>> final : public Slot {
public:
    std::tuple<ValueOf<T>...>* to = nullptr;

    void open_list() override { filled_ = 0; }

    Slot& element() override {
        Slot* next = nullptr;
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            ((Index == filled_
                  ? void((std::get<Index>(items_).to = &std::get<Index>(*to), next = &std::get<Index>(items_)))
                  : void()),
             ...);
        }(std::index_sequence_for<T...>());
        if (!next) {
            throw Refused(std::format("a list has more than {} elements", sizeof...(T)));
        }
        ++filled_;
        return *next;
    }

    void close() override {
        if (filled_ != sizeof...(T)) {
            throw Refused(std::format("a list has {} elements instead of {}", filled_, sizeof...(T)));
        }
    }

private:
    std::tuple<Into<T>...> items_;
    std::size_t filled_ = 0;
};

template <Struct T>
class Into<T> final : public Slot {
public:
    T* to = nullptr;

    void open_object() override { seen_.reset(); }

    Slot& member(const std::string& name) override {
        Slot* found = nullptr;
        each([&](const auto& field, auto& slot, std::size_t index) {
            if (name == field.name) {
                if (seen_.test(index)) {
                    throw Refused(std::format("{} stands there twice", name));
                }
                seen_.set(index);
                slot.to = &(to->*field.member);
                found = &slot;
            }
        });
        if (!found) {
            throw Refused(std::format("the message has no {}", name));
        }
        return *found;
    }

    void close() override {
        each([&](const auto& field, auto&, std::size_t index) {
            if (!seen_.test(index)) {
                throw Refused(std::format("{} is missing", field.name));
            }
        });
    }

private:
    using Slots = decltype(std::apply(
        []<class... Shape>(const Field<T, Shape>&...) -> std::tuple<Into<Shape>...> { std::unreachable(); },
        fields<T>));

    void each(auto&& visit) {
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (visit(std::get<Index>(fields<T>), std::get<Index>(slots_), Index), ...);
        }(std::make_index_sequence<std::tuple_size_v<Slots>>());
    }

    Slots slots_;
    std::bitset<std::tuple_size_v<Slots>> seen_;
};

/// What nlohmann/json calls for each part of the document, in its order.
class Events final : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Events(Slot& root) : next_(&root) {}

    bool null() override {
        target().null();
        return true;
    }
    bool boolean(bool value) override {
        return put([&](Slot& slot) { slot.boolean(value); });
    }
    bool number_integer(std::int64_t value) override {
        return put([&](Slot& slot) { slot.negative(value); });
    }
    bool number_unsigned(std::uint64_t value) override {
        return put([&](Slot& slot) { slot.natural(value); });
    }
    bool number_float(double value, const std::string& digits) override {
        return put([&](Slot& slot) { slot.real(value, digits); });
    }
    bool string(std::string& value) override {
        return put([&](Slot& slot) { slot.text(value); });
    }
    bool binary(nlohmann::json::binary_t&) override { Slot::refuse("bytes"); }

    bool start_object(std::size_t) override {
        return open([](Slot& slot) { slot.open_object(); });
    }
    bool start_array(std::size_t) override {
        return open([](Slot& slot) { slot.open_list(); });
    }
    bool key(std::string& name) override {
        next_ = &open_.back()->member(name);
        return true;
    }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }

    bool parse_error(std::size_t, const std::string&, const nlohmann::json::exception& error) override {
        throw Refused(error.what());
    }

private:
    /// Where the next value is stored: as the root or the key said, else as the next element of the list.
    Slot& target() { return next_ ? *std::exchange(next_, nullptr) : open_.back()->element(); }

    bool put(auto&& store) {
        store(target().value());
        return true;
    }

    bool open(auto&& store) {
        auto& slot = target().value();
        store(slot);
        open_.push_back(&slot);
        return true;
    }

    bool close() {
        open_.back()->close();
        open_.pop_back();
        return true;
    }

    Slot* next_;
    std::vector<Slot*> open_;
};

}  // namespace wirelab::canonical
