/**
 * The addon: implements `index.d.ts` over the C interface of `sparlane.h`, a function for each method. What a call is: `call.h`. The
 * objects of an environment are freed with it. Every argument is checked before the first CUDA call.
 */
#include "call.h"
#include "rank-calls.h"

namespace {

using namespace addon;

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
  const auto isUrgent = static_cast<int32_t>(call.integer("urgent", 1));
  spl_error error;
  Context context(spl_open(device, isUrgent, &error));
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

napi_value scatter(Call& call) {
  const uint32_t width = widthOfElements(call);
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
  const uint32_t width = widthOfElements(call);
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
  const uint32_t width = widthOfElements(call);
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
  const uint32_t width = widthOfElements(call);
  const spl_vector* x = call.vector("x");
  const spl_vector* y = call.vector("y", spl_vector_bytes(x));
  spl_vector* slot = call.slot("slot");
  spl_error error;
  spl_dot(width, x, y, slot, &error);
  rethrow(error);
  return nullptr;
}

napi_value axpby(Call& call) {
  const uint32_t width = widthOfElements(call);
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
  const uint32_t width = widthOfElements(call);
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

napi_value collect(Call& call) {
  spl_context* context = call.object<Context>().get();
  spl_error error;
  spl_collect(context, static_cast<int32_t>(call.integer("on", 1)), &error);
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
      method<collect>("collect"),
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
      method<reaches>("reaches"),
      method<event>("event"),
      method<signal>("signal"),
      method<awaitEvent>("await"),
      method<offerVector>("offerVector"),
      method<offerEvent>("offerEvent"),
      method<takeVector>("takeVector"),
      method<takeEvent>("takeEvent"),
      method<draw>("draw"),
      method<moveElements<spl_pick, true>>("pick"),
      method<moveElements<spl_add_at, false>>("addAt"),
      method<spread>("spread"),
      method<addRanks>("addRanks"),
  };
  if (napi_set_instance_data(env, new Objects, forget, nullptr) != napi_ok) return nullptr;
  if (napi_define_properties(env, exports, std::size(methods), methods) != napi_ok) return nullptr;
  return exports;
}
