/**
 * A call from JavaScript: its arguments, the objects of the device behind their numbers (`objects.h`), and its result. For `addon.cc`.
 */
#pragma once
#include <node_api.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/objects.h"

namespace addon {

/** The arguments of one call, read in order. */
class Call {
 public:
  Call(napi_env env, napi_callback_info info) : env_(env) {
    check(napi_get_cb_info(env, info, &count_, arguments_, nullptr, nullptr));
    void* data = nullptr;
    check(napi_get_instance_data(env, &data));
    objects_ = static_cast<Objects*>(data);
  }

  napi_env env() const { return env_; }
  Objects& objects() { return *objects_; }

  void check(napi_status status) const {
    if (status == napi_ok) return;
    bool isPending = false;
    napi_is_exception_pending(env_, &isPending);
    if (isPending) throw Pending{};
    throw Failure{"backend", "Node-API: expected napi_ok, got status " + std::to_string(status)};
  }

  double number(const char* name) {
    double value = NAN;
    if (napi_get_value_double(env_, next(), &value) != napi_ok || !std::isfinite(value)) refuse(name, "a finite number");
    return value;
  }

  uint64_t integer(const char* name, uint64_t most) {
    double value = NAN;
    if (napi_get_value_double(env_, next(), &value) != napi_ok || !(value >= 0) || value != std::floor(value) ||
        value > static_cast<double>(most)) {
      refuse(name, "an integer from 0 to " + std::to_string(most));
    }
    return static_cast<uint64_t>(value);
  }

  std::string text(const char* name) {
    std::string result;
    if (!readText(next(), result)) refuse(name, "a string");
    return result;
  }

  /** A kernel as data: `{ base, verb, columns? }`. How values are stored is in the header. */
  struct Kernel {
    std::string base;
    std::string verb;
    int32_t columnBits;
  };

  Kernel kernel(const char* name) {
    const napi_value value = next();
    napi_valuetype type;
    check(napi_typeof(env_, value, &type));
    if (type != napi_object) refuse(name, "an object { base, verb, columns? }");
    napi_value base, verb, columns;
    check(napi_get_named_property(env_, value, "base", &base));
    check(napi_get_named_property(env_, value, "verb", &verb));
    check(napi_get_named_property(env_, value, "columns", &columns));
    Kernel kernel{{}, {}, 32};
    const bool isText = readText(base, kernel.base) && readText(verb, kernel.verb);
    check(napi_typeof(env_, columns, &type));
    if (type != napi_undefined && napi_get_value_int32(env_, columns, &kernel.columnBits) != napi_ok) kernel.columnBits = 0;
    if (!isText || (kernel.columnBits != 16 && kernel.columnBits != 32)) {
      throw Failure{"argument", std::string(name) + ": expected { base, verb, columns: 16 or 32 }, got base '" + kernel.base +
                                    "', verb '" + kernel.verb + "', columns " + std::to_string(kernel.columnBits)};
    }
    return kernel;
  }

  /** Returns properties of an object, which must be numbers from 0 to 2³¹ - 1. */
  template <size_t COUNT>
  std::array<double, COUNT> numbers(const char* name, const std::array<const char*, COUNT>& keys) {
    const napi_value value = next();
    napi_valuetype type;
    check(napi_typeof(env_, value, &type));
    if (type != napi_object) refuse(name, "an object");
    std::array<double, COUNT> numbers;
    for (size_t i = 0; i < COUNT; i++) {
      napi_value property;
      check(napi_get_named_property(env_, value, keys[i], &property));
      if (napi_get_value_double(env_, property, &numbers[i]) != napi_ok || !(numbers[i] >= 0 && numbers[i] <= INT32_MAX)) {
        throw Failure{"argument",
                      std::string(name) + " " + keys[i] + ": expected a number from 0 to 2^31 - 1, got another value"};
      }
    }
    return numbers;
  }

  struct Bytes {
    uint8_t* data;
    size_t length;
  };

  /** The bytes of a typed array, over shared memory or not. */
  Bytes view(const char* name) {
    const napi_value value = next();
    bool isView = false;
    check(napi_is_typedarray(env_, value, &isView));
    if (!isView) refuse(name, "a typed array");
    napi_typedarray_type type;
    size_t length = 0;
    void* data = nullptr;
    check(napi_get_typedarray_info(env_, value, &type, &length, &data, nullptr, nullptr));
    return {static_cast<uint8_t*>(data), length * widthOf(type)};
  }

  template <class T>
  T& object() {
    return lookUp<T>(static_cast<uint32_t>(integer(Name<T>::text, UINT32_MAX)), Name<T>::text);
  }

  /** A vector as an argument `name`; of exactly `bytes` bytes if given. */
  spl_vector* vector(const char* name, std::optional<uint64_t> bytes = {}) {
    spl_vector* vector = lookUp<Vector>(static_cast<uint32_t>(integer(name, UINT32_MAX)), name).get();
    if (bytes) checkBytes(vector, name, *bytes);
    return vector;
  }

  /** The vector of a number that was read elsewhere. */
  spl_vector* vectorOf(uint32_t key, const char* name) { return lookUp<Vector>(key, name).get(); }

  /** A factor: a slot, 0 for none, and the number it is multiplied by. */
  spl_factor factor(const char* name) {
    const auto key = static_cast<uint32_t>(integer(name, UINT32_MAX));
    const spl_vector* slot = key == 0 ? nullptr : slotOf(lookUp<Vector>(key, name).get(), name);
    return {slot, number(name)};
  }

  spl_vector* slot(const char* name) { return slotOf(vector(name), name); }

  template <class T>
  napi_value add(T object) {
    const uint32_t key = ++objects_->last;
    objects_->table.emplace(key, Objects::Entry{std::move(object), owner_ == 0 ? key : owner_});
    return make(key);
  }

  napi_value make(double value) const {
    napi_value result;
    check(napi_create_double(env_, value, &result));
    return result;
  }

  napi_value make(const char* text) const {
    napi_value result;
    check(napi_create_string_utf8(env_, text, NAPI_AUTO_LENGTH, &result));
    return result;
  }

  napi_value make(std::span<const uint8_t> bytes) const {
    void* data = nullptr;
    napi_value buffer, result;
    check(napi_create_arraybuffer(env_, bytes.size(), &data, &buffer));
    std::ranges::copy(bytes, static_cast<uint8_t*>(data));
    check(napi_create_typedarray(env_, napi_uint8_array, bytes.size(), buffer, 0, &result));
    return result;
  }

  napi_value makeBoolean(bool value) const {
    napi_value result;
    check(napi_get_boolean(env_, value, &result));
    return result;
  }

  napi_value make(const std::vector<napi_value>& elements) const {
    napi_value result;
    check(napi_create_array_with_length(env_, elements.size(), &result));
    for (size_t i = 0; i < elements.size(); i++) check(napi_set_element(env_, result, static_cast<uint32_t>(i), elements[i]));
    return result;
  }

  napi_value make(const std::vector<std::pair<const char*, napi_value>>& properties) const {
    napi_value result;
    check(napi_create_object(env_, &result));
    for (const auto& [name, value] : properties) check(napi_set_named_property(env_, result, name, value));
    return result;
  }

 private:
  /** Returns whether the value is a string. */
  bool readText(napi_value value, std::string& result) const {
    size_t length = 0;
    if (napi_get_value_string_utf8(env_, value, nullptr, 0, &length) != napi_ok) return false;
    result.resize(length);
    check(napi_get_value_string_utf8(env_, value, result.data(), length + 1, &length));
    return true;
  }

  static size_t widthOf(napi_typedarray_type type) {
    switch (type) {
      case napi_int16_array:
      case napi_uint16_array: return 2;
      case napi_int32_array:
      case napi_uint32_array:
      case napi_float32_array: return 4;
      case napi_float64_array:
      case napi_bigint64_array:
      case napi_biguint64_array: return 8;
      default: return 1;
    }
  }

  napi_value next() {
    if (place_ < count_ && place_ < MOST) return arguments_[place_++];
    napi_value undefined;
    check(napi_get_undefined(env_, &undefined));
    place_++;
    return undefined;
  }

  /** Refuses the argument that was read last: it is not what was expected. */
  [[noreturn]] void refuse(const char* name, const std::string& expected) {
    std::string got = "undefined";
    napi_value text;
    size_t length = 0;
    if (place_ <= count_ && napi_coerce_to_string(env_, arguments_[place_ - 1], &text) == napi_ok) {
      char buffer[64];
      if (napi_get_value_string_utf8(env_, text, buffer, sizeof buffer, &length) == napi_ok) got = buffer;
    }
    throw Failure{"argument", std::string(name) + ": expected " + expected + ", got " + got};
  }

  template <class T>
  T& lookUp(uint32_t key, const char* name) {
    const auto found = objects_->table.find(key);
    if (found == objects_->table.end() || !std::holds_alternative<T>(found->second.object)) {
      throw Failure{"argument",
                    std::string(name) + ": expected a " + Name<T>::text + " in use, got number " + std::to_string(key)};
    }
    if (owner_ == 0) owner_ = found->second.owner;
    return std::get<T>(found->second.object);
  }

  static spl_vector* slotOf(spl_vector* vector, const char* name) {
    if (spl_vector_bytes(vector) == sizeof(double)) return vector;
    throw Failure{"shape", std::string(name) + ": expected a vector of one f64, got " + std::to_string(spl_vector_bytes(vector)) +
                               " bytes"};
  }

  static constexpr size_t MOST = 10;
  napi_env env_;
  Objects* objects_ = nullptr;
  napi_value arguments_[MOST] = {};
  size_t count_ = MOST;
  size_t place_ = 0;
  /** The context of the first object among the arguments, to which a new object belongs; 0 if there is none. */
  uint32_t owner_ = 0;
};

inline void rethrow(const spl_error& error) {
  if (error.code[0] != '\0') throw Failure{error.code, error.message};
}

/** The range must lie inside the vector. */
inline void checkRange(const spl_vector* vector, uint64_t offset, uint64_t bytes) {
  const uint64_t room = spl_vector_bytes(vector);
  if (offset > room || bytes > room - offset) {
    throw Failure{"shape", "offset: expected bytes inside a vector of " + std::to_string(room) + " bytes, got " +
                               std::to_string(bytes) + " bytes at " + std::to_string(offset)};
  }
}

/** Bytes of an element. */
inline uint32_t widthOfElements(Call& call) {
  const auto width = static_cast<uint32_t>(call.integer("width", 8));
  if (width != 4 && width != 8) throw Failure{"argument", "width: expected 4 or 8, got " + std::to_string(width)};
  return width;
}

/** Rows of blocks of vectors are whole registers of this many bytes. */
constexpr uint64_t ROW_BYTES = 16;
constexpr uint64_t MAX_STRIDE = uint64_t{1} << 24;

}  // namespace addon
