/**
 * The addon: implements `index.d.ts` over the C interface of `sparlane.h`. Objects of the device are numbers to JavaScript,
 * looked up in a table per environment, so a wrong or stale number is an error and never a crash. The table is freed with the
 * environment. Every argument is checked before the first CUDA call.
 */
#include <node_api.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "sparlane.h"

namespace {

/** Thrown here; converted to a JavaScript error at the end of a call. */
struct Failure {
  std::string code;
  std::string message;
};

/** A JavaScript exception is pending. */
struct Pending {};

template <class T, void (*FREE)(T*)>
struct Freer {
  void operator()(T* object) const { FREE(object); }
};

using Context = std::unique_ptr<spl_context, Freer<spl_context, spl_close>>;
using Vector = std::unique_ptr<spl_vector, Freer<spl_vector, spl_vector_free>>;
using Plan = std::unique_ptr<spl_plan, Freer<spl_plan, spl_plan_free>>;
using Graph = std::unique_ptr<spl_graph, Freer<spl_graph, spl_graph_free>>;

struct PlannedStage {
  Plan plan;
  /** Bytes of an element of x and y. */
  uint64_t width;
  uint64_t bytesOfX;
  uint64_t bytesOfY;
};

/** The objects of one JavaScript environment, by number. A number is never used again. */
struct Objects {
  std::unordered_map<uint32_t, std::variant<Context, Vector, PlannedStage, Graph>> table;
  uint32_t last = 0;
};

template <class T>
struct Name;
template <>
struct Name<Context> {
  static constexpr const char* text = "context";
};
template <>
struct Name<Vector> {
  static constexpr const char* text = "vector";
};
template <>
struct Name<PlannedStage> {
  static constexpr const char* text = "plan";
};
template <>
struct Name<Graph> {
  static constexpr const char* text = "graph";
};

/** @throws Failure `shape` if the vector does not have exactly this many bytes */
void checkBytes(const spl_vector* vector, const char* name, uint64_t bytes) {
  if (spl_vector_bytes(vector) == bytes) return;
  throw Failure{"shape", std::string(name) + ": expected a vector of " + std::to_string(bytes) + " bytes, got " +
                             std::to_string(spl_vector_bytes(vector))};
}

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
    objects_->table.emplace(key, std::move(object));
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
    if (found == objects_->table.end() || !std::holds_alternative<T>(found->second)) {
      throw Failure{"argument",
                    std::string(name) + ": expected a " + Name<T>::text + " in use, got number " + std::to_string(key)};
    }
    return std::get<T>(found->second);
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
};

void rethrow(const spl_error& error) {
  if (error.code[0] != '\0') throw Failure{error.code, error.message};
}

/** The range must lie inside the vector. */
void checkRange(const spl_vector* vector, uint64_t offset, uint64_t bytes) {
  const uint64_t room = spl_vector_bytes(vector);
  if (offset > room || bytes > room - offset) {
    throw Failure{"shape", "offset: expected bytes inside a vector of " + std::to_string(room) + " bytes, got " +
                               std::to_string(bytes) + " bytes at " + std::to_string(offset)};
  }
}

napi_value status(Call& call) {
  int32_t count = 0;
  const int32_t outcome = spl_device_count(&count);
  napi_value devices;
  call.check(napi_create_array(call.env(), &devices));
  for (int32_t i = 0; i < count; i++) {
    spl_device device;
    spl_error error;
    spl_describe(i, &device, &error);
    rethrow(error);
    const napi_value one = call.make({
        {"name", call.make(device.name)},
        {"memoryBytes", call.make(static_cast<double>(device.memory_bytes))},
        {"l2Bytes", call.make(static_cast<double>(device.l2_bytes))},
        {"capability", call.make(device.major + device.minor / 10.0)},
        {"multiprocessors", call.make(device.multiprocessors)},
    });
    call.check(napi_set_element(call.env(), devices, i, one));
  }
  return call.make({
      {"driver", call.make(spl_driver_version())},
      {"runtime", call.make(spl_runtime_version())},
      {"outcome", call.make(outcome)},
      {"devices", devices},
  });
}

napi_value describe(Call& call, const spl_method& method) {
  std::vector<napi_value> parameters;
  for (size_t i = 0; i < method.parameter_places && method.parameters[i] != nullptr; i++) {
    parameters.push_back(call.make(method.parameters[i]));
  }
  return call.make({{"name", call.make(method.name)},
                    {"parameters", call.make(parameters)},
                    {"atomic", call.makeBoolean(method.is_atomic != 0)}});
}

napi_value kernels(Call& call) {
  std::vector<napi_value> all;
  for (size_t place = 0; place < spl_kernel_count(); place++) {
    const spl_kernel kernel = spl_kernel_at(place);
    std::vector<napi_value> methods;
    for (size_t i = 0; i < kernel.methods; i++) methods.push_back(describe(call, spl_method_at(place, i)));
    all.push_back(
        call.make({{"base", call.make(kernel.base)}, {"verb", call.make(kernel.verb)}, {"methods", call.make(methods)}}));
  }
  return call.make(all);
}

napi_value open(Call& call) {
  const auto device = static_cast<int32_t>(call.integer("device", INT32_MAX));
  int32_t count = 0;
  const int32_t outcome = spl_device_count(&count);
  if (device >= count) {
    throw Failure{outcome == 0 ? "argument" : "backend",
                  "device: expected one of " + std::to_string(count) + " devices, got " + std::to_string(device)};
  }
  spl_error error;
  Context context(spl_open(device, &error));
  rethrow(error);
  return call.add(std::move(context));
}

napi_value release(Call& call) {
  const auto key = static_cast<uint32_t>(call.integer("object", UINT32_MAX));
  const auto found = call.objects().table.find(key);
  if (found == call.objects().table.end()) {
    throw Failure{"argument", "object: expected one in use, got number " + std::to_string(key)};
  }
  call.objects().table.erase(found);
  return nullptr;
}

napi_value synchronize(Call& call) {
  spl_error error;
  spl_synchronize(call.object<Context>().get(), &error);
  rethrow(error);
  return nullptr;
}

napi_value after(Call& call) {
  spl_context* context = call.object<Context>().get();
  const spl_context* other = call.object<Context>().get();
  spl_error error;
  spl_after(context, other, &error);
  rethrow(error);
  return nullptr;
}

napi_value link(Call& call) {
  spl_context* context = call.object<Context>().get();
  const spl_context* other = call.object<Context>().get();
  spl_error error;
  const int32_t linked = spl_link(context, other, &error);
  rethrow(error);
  return call.makeBoolean(linked != 0);
}

napi_value memory(Call& call) {
  uint64_t free = 0, total = 0;
  spl_error error;
  spl_memory(call.object<Context>().get(), &free, &total, &error);
  rethrow(error);
  return call.make({{"freeBytes", call.make(static_cast<double>(free))}, {"totalBytes", call.make(static_cast<double>(total))}});
}

napi_value trim(Call& call) {
  spl_error error;
  spl_trim(call.object<Context>().get(), &error);
  rethrow(error);
  return nullptr;
}

napi_value adviseHugePages(Call& call) {
  const auto [data, length] = call.view("memory");
  spl_advise_huge_pages(data, call.integer("bytes", uint64_t{1} << 48));
  return nullptr;
}

napi_value pin(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto [data, length] = call.view("memory");
  spl_error error;
  spl_pin(context, data, length, &error);
  rethrow(error);
  return nullptr;
}

napi_value unpin(Call& call) {
  const auto [data, length] = call.view("memory");
  spl_error error;
  spl_unpin(data, length, &error);
  rethrow(error);
  return nullptr;
}

napi_value vector(Call& call) {
  spl_context* context = call.object<Context>().get();
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  spl_error error;
  Vector made(spl_vector_new(context, bytes, &error));
  rethrow(error);
  return call.add(std::move(made));
}

napi_value slice(Call& call) {
  const spl_vector* whole = call.vector("vector");
  const uint64_t offset = call.integer("offset", uint64_t{1} << 48);
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  checkRange(whole, offset, bytes);
  spl_error error;
  Vector made(spl_vector_slice(whole, offset, bytes, &error));
  rethrow(error);
  return call.add(std::move(made));
}

napi_value upload(Call& call) {
  spl_vector* target = call.vector("vector");
  const uint64_t offset = call.integer("offset", uint64_t{1} << 48);
  const auto [data, length] = call.view("source");
  checkRange(target, offset, length);
  spl_error error;
  spl_upload(target, offset, data, length, &error);
  rethrow(error);
  return nullptr;
}

napi_value download(Call& call) {
  spl_vector* source = call.vector("vector");
  const uint64_t offset = call.integer("offset", uint64_t{1} << 48);
  const auto [data, length] = call.view("target");
  checkRange(source, offset, length);
  spl_error error;
  spl_download(source, offset, data, length, &error);
  rethrow(error);
  return nullptr;
}

napi_value clear(Call& call) {
  spl_error error;
  spl_clear(call.vector("vector"), &error);
  rethrow(error);
  return nullptr;
}

napi_value copy(Call& call) {
  spl_vector* target = call.vector("target");
  const uint64_t targetOffset = call.integer("targetOffset", uint64_t{1} << 48);
  spl_vector* source = call.vector("source");
  const uint64_t sourceOffset = call.integer("sourceOffset", uint64_t{1} << 48);
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  checkRange(target, targetOffset, bytes);
  checkRange(source, sourceOffset, bytes);
  spl_error error;
  spl_copy(target, targetOffset, source, sourceOffset, bytes, &error);
  rethrow(error);
  return nullptr;
}

/** Rows of blocks of vectors are whole registers of this many bytes. */
constexpr uint64_t ROW_BYTES = 16;
constexpr uint64_t MAX_STRIDE = uint64_t{1} << 24;

/** Bytes of an element. */
uint32_t widthOf(Call& call) {
  const auto width = static_cast<uint32_t>(call.integer("width", 8));
  if (width != 4 && width != 8) throw Failure{"argument", "width: expected 4 or 8, got " + std::to_string(width)};
  return width;
}

napi_value scatter(Call& call) {
  const uint32_t width = widthOf(call);
  const uint64_t length = call.integer("length", UINT32_MAX);
  spl_vector* y = call.vector("y", width * length);
  const spl_vector* x = call.vector("x", width * length);
  const spl_vector* order = call.vector("order", 4 * length);
  spl_error error;
  spl_scatter(y, x, order, length, width, &error);
  rethrow(error);
  return nullptr;
}

/** `length` elements of a vector, the last of which must lie inside it. */
spl_strided strided(Call& call, const char* name, uint32_t width, uint64_t length) {
  const spl_vector* vector = call.vector(name);
  const uint64_t offset = call.integer("offset", UINT32_MAX);
  const auto stride = static_cast<uint32_t>(call.integer("stride", MAX_STRIDE));
  if (length > 0) checkRange(vector, width * offset, width * ((length - 1) * stride + 1));
  return {vector, offset, stride};
}

napi_value copyStrided(Call& call) {
  const uint32_t width = widthOf(call);
  const uint64_t length = call.integer("length", UINT32_MAX);
  const spl_strided y = strided(call, "y", width, length);
  const spl_strided x = strided(call, "x", width, length);
  spl_error error;
  spl_copy_strided(width, length, y, x, &error);
  rethrow(error);
  return nullptr;
}

/** Three vectors, for compressed rows of at least that many rows and entries. */
spl_rows rowsOf(Call& call, const char* const (&names)[3], uint64_t rows, uint64_t nnz, uint64_t width) {
  const uint64_t bytes[] = {4 * (rows + 1), 4 * nnz, width * nnz};
  const spl_vector* vectors[3];
  for (int i = 0; i < 3; i++) {
    vectors[i] = call.vector(names[i]);
    checkRange(vectors[i], 0, bytes[i]);
  }
  return {vectors[0], vectors[1], vectors[2]};
}

napi_value transpose(Call& call) {
  const uint32_t width = widthOf(call);
  const auto rows = static_cast<uint32_t>(call.integer("rows", UINT32_MAX - 1));
  const auto cols = static_cast<uint32_t>(call.integer("cols", UINT32_MAX - 1));
  const auto nnz = static_cast<uint32_t>(call.integer("nnz", UINT32_MAX));
  const spl_rows from = rowsOf(call, {"rowPtr", "colIdx", "values"}, rows, nnz, width);
  const spl_rows to = rowsOf(call, {"ptr", "idx", "moved"}, cols, nnz, width);
  spl_error error;
  spl_transpose(width, rows, cols, nnz, from, to, &error);
  rethrow(error);
  return nullptr;
}

napi_value lend(Call& call) {
  const spl_vector* vector = call.vector("vector");
  const auto offset = static_cast<uint32_t>(call.integer("offset", UINT32_MAX));
  spl_error error;
  spl_lend(vector, offset, &error);
  rethrow(error);
  return nullptr;
}

napi_value read(Call& call) {
  spl_error error;
  spl_read(call.vector("zeros"), &error);
  rethrow(error);
  return nullptr;
}

napi_value gather(Call& call) {
  const spl_vector* zeros = call.vector("zeros");
  const auto count = static_cast<uint32_t>(call.integer("count", UINT32_MAX));
  if (spl_vector_bytes(zeros) < sizeof(double)) throw Failure{"shape", "zeros: expected at least 8 bytes, got fewer"};
  spl_error error;
  spl_gather(zeros, count, &error);
  rethrow(error);
  return nullptr;
}

napi_value plan(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto [base, verb, columnBits] = call.kernel("kernel");
  const auto dtype = static_cast<int32_t>(call.integer("dtype", SPL_MIXED));
  const auto [heap, length] = call.view("heap");
  const auto header = static_cast<uint32_t>(call.integer("header", UINT32_MAX));
  const std::string method = call.text("method");
  const uint64_t rows = call.integer("rows", UINT32_MAX);
  const uint64_t cols = call.integer("cols", UINT32_MAX);
  const auto matrix = static_cast<uint32_t>(call.integer("matrix", UINT32_MAX));
  const uint64_t width = dtype == SPL_F32 ? 4 : 8;
  spl_error error;
  Plan made(
      spl_plan_new(context, base.c_str(), verb.c_str(), columnBits, dtype, heap, length, header, method.c_str(), matrix, &error));
  rethrow(error);
  const napi_value bytes = call.make(static_cast<double>(spl_plan_bytes(made.get())));
  const napi_value chosen = call.make(spl_plan_method(made.get()));
  const napi_value key = call.add(PlannedStage{std::move(made), width, width * cols, width * rows});
  return call.make({{"plan", key}, {"bytes", bytes}, {"method", chosen}});
}

napi_value run(Call& call) {
  const PlannedStage& stage = call.object<PlannedStage>();
  const spl_vector* x = call.vector("x");
  spl_vector* y = call.vector("y");
  const double alpha = call.number("alpha");
  const double beta = call.number("beta");
  const auto stride = static_cast<uint32_t>(call.integer("stride", MAX_STRIDE));
  if (stride != 1 && (stride == 0 || stride * stage.width % ROW_BYTES != 0)) {
    throw Failure{"argument", "stride: expected 1 or whole registers of " + std::to_string(ROW_BYTES) + " bytes, got " +
                                  std::to_string(stride) + " elements"};
  }
  checkBytes(x, "x", stage.bytesOfX * stride);
  checkBytes(y, "y", stage.bytesOfY * stride);
  spl_error error;
  spl_plan_run(stage.plan.get(), x, y, alpha, beta, stride, &error);
  rethrow(error);
  return nullptr;
}

napi_value dot(Call& call) {
  const uint32_t width = widthOf(call);
  const spl_vector* x = call.vector("x");
  const spl_vector* y = call.vector("y", spl_vector_bytes(x));
  spl_vector* slot = call.slot("slot");
  spl_error error;
  spl_dot(width, x, y, slot, &error);
  rethrow(error);
  return nullptr;
}

napi_value axpby(Call& call) {
  const uint32_t width = widthOf(call);
  const spl_factor a = call.factor("a");
  const spl_vector* x = call.vector("x");
  const spl_factor b = call.factor("b");
  spl_vector* y = call.vector("y", spl_vector_bytes(x));
  spl_error error;
  spl_axpby(width, a, x, b, y, &error);
  rethrow(error);
  return nullptr;
}

napi_value multiply(Call& call) {
  const uint32_t width = widthOf(call);
  const spl_vector* d = call.vector("d");
  const spl_vector* x = call.vector("x", spl_vector_bytes(d));
  spl_vector* y = call.vector("y", spl_vector_bytes(d));
  spl_error error;
  spl_multiply(width, d, x, y, &error);
  rethrow(error);
  return nullptr;
}

napi_value compute(Call& call) {
  const auto operation = static_cast<int32_t>(call.integer("operation", SPL_ROOT));
  const spl_factor a = call.factor("a");
  const spl_factor b = call.factor("b");
  spl_vector* slot = call.slot("slot");
  spl_error error;
  spl_compute(operation, a, b, slot, &error);
  rethrow(error);
  return nullptr;
}

napi_value recordBegin(Call& call) {
  spl_error error;
  spl_record_begin(call.object<Context>().get(), &error);
  rethrow(error);
  return nullptr;
}

napi_value recordEnd(Call& call) {
  spl_error error;
  Graph graph(spl_record_end(call.object<Context>().get(), &error));
  rethrow(error);
  return call.add(std::move(graph));
}

napi_value launch(Call& call) {
  spl_error error;
  spl_graph_launch(call.object<Graph>().get(), &error);
  rethrow(error);
  return nullptr;
}

napi_value prepare(Call& call) {
  spl_context* context = call.object<Context>().get();
  const uint64_t flush = call.integer("flushBytes", uint64_t{1} << 40);
  spl_error error;
  spl_prepare(context, flush, &error);
  rethrow(error);
  return nullptr;
}

napi_value mark(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto which = static_cast<int32_t>(call.integer("mark", 1));
  spl_error error;
  spl_mark(context, which, &error);
  rethrow(error);
  return nullptr;
}

napi_value elapsed(Call& call) {
  spl_error error;
  const double ms = spl_elapsed(call.object<Context>().get(), &error);
  rethrow(error);
  return call.make(ms);
}

using Function = napi_value (*)(Call&);

template <Function FUNCTION>
napi_value entry(napi_env env, napi_callback_info info) {
  try {
    Call call(env, info);
    return FUNCTION(call);
  } catch (const Failure& failure) {
    napi_throw_error(env, failure.code.c_str(), failure.message.c_str());
  } catch (const Pending&) {
    // An exception thrown by Node.
  } catch (const std::exception& exception) {
    napi_throw_error(env, "backend", exception.what());
  }
  return nullptr;
}

template <Function FUNCTION>
constexpr napi_property_descriptor method(const char* name) {
  return {name, nullptr, entry<FUNCTION>, nullptr, nullptr, nullptr, napi_enumerable, nullptr};
}

void forget(napi_env, void* data, void*) { delete static_cast<Objects*>(data); }

}  // namespace

NAPI_MODULE_INIT() {
  const napi_property_descriptor methods[] = {
      method<status>("status"),
      method<kernels>("kernels"),
      method<open>("open"),
      method<release>("release"),
      method<synchronize>("synchronize"),
      method<memory>("memory"),
      method<trim>("trim"),
      method<pin>("pin"),
      method<adviseHugePages>("adviseHugePages"),
      method<unpin>("unpin"),
      method<vector>("vector"),
      method<upload>("upload"),
      method<download>("download"),
      method<clear>("clear"),
      method<plan>("plan"),
      method<run>("run"),
      method<recordBegin>("recordBegin"),
      method<recordEnd>("recordEnd"),
      method<launch>("launch"),
      method<prepare>("prepare"),
      method<mark>("mark"),
      method<elapsed>("elapsed"),
      method<read>("read"),
      method<gather>("gather"),
      method<slice>("slice"),
      method<after>("after"),
      method<link>("link"),
      method<copy>("copy"),
      method<scatter>("scatter"),
      method<copyStrided>("copyStrided"),
      method<transpose>("transpose"),
      method<lend>("lend"),
      method<dot>("dot"),
      method<axpby>("axpby"),
      method<multiply>("multiply"),
      method<compute>("compute"),
  };
  if (napi_set_instance_data(env, new Objects, forget, nullptr) != napi_ok) return nullptr;
  if (napi_define_properties(env, exports, std::size(methods), methods) != napi_ok) return nullptr;
  return exports;
}
