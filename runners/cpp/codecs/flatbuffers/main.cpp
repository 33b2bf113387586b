/// FlatBuffers through its object API: packed from and verified and unpacked to generated objects.
#include "limits.hpp"
#include "messages.hpp"
#include "wirelab/serve.hpp"

namespace flat = wirelab::flat;

namespace {

struct FlatBuffers {
    using Buffer = flatbuffers::FlatBufferBuilder;
    static constexpr bool builds = true;
    static constexpr auto& instead = flat::instead;

    static std::string_view bytes(const Buffer& buffer) {
        return {reinterpret_cast<const char*>(buffer.GetBufferPointer()), buffer.GetSize()};
    }

    template <class T>
    static flat::Object<T> own(const T& value) {
        flat::Object<T> object;
        fill(object, value);
        return object;
    }

    template <class T>
    static T shared(const flat::Object<T>& object) {
        T value{};
        read(object, value);
        return value;
    }

    template <class Object>
    void encode(const Object& object, Buffer& buffer) const {
        buffer.Clear();
        buffer.Finish(Object::TableType::Pack(buffer, &object));
    }

    template <class Object>
    void decode(const std::string& encoded, Object& object) const {
        flat::verified<typename Object::TableType>(encoded).UnPackTo(&object);
    }

    template <class T>
    std::uint64_t access(const std::string& encoded) const {
        return sum_fields(flat::verified<flat::Table<T>>(encoded), flat::As<T>{});
    }
};

}  // namespace

int main(int count, char** words) {
    const wirelab::About about{.codec = "cpp/flatbuffers",
                               .format = "FlatBuffers",
                               .library = "flatbuffers",
                               .version = wirelab::version_text(FLATBUFFERS_VERSION_MAJOR, FLATBUFFERS_VERSION_MINOR,
                                                                FLATBUFFERS_VERSION_REVISION),
                               .api = "generated",
                               .validation = true};
    return wirelab::serve<FlatBuffers>(about, count, words);
}
