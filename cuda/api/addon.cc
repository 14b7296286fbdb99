/**
 * The addon: implements `index.d.ts` over the C interface of `sparlane.h`, a function for each method. What a call is: `call.h`. The
 * objects of an environment are freed with it. Every argument is checked before the first CUDA call.
 */
#include "api/call.h"
#include "api/device-calls.h"
#include "api/plan-calls.h"
#include "api/rank-calls.h"
#include "vectors/vector-calls.h"

namespace {

using namespace addon;

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
      method<newVector<spl_vector_new>>("vector"),
      method<upload>("upload"),
      method<download>("download"),
      method<clear>("clear"),
      method<plan>("plan"),
      method<estimate>("estimate"),
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
      method<identity>("identity"),
      method<reaches>("reaches"),
      method<newVector<spl_shared_vector_new>>("sharedVector"),
      method<offerVector>("offerVector"),
      method<takeVector>("takeVector"),
      method<moveElements<spl_pick, true>>("pick"),
      method<moveElements<spl_add_at, false>>("addAt"),
      method<push>("push"),
      method<take>("take"),
      method<joinRanks>("joinRanks"),
  };
  if (napi_set_instance_data(env, new Objects, forget, nullptr) != napi_ok) return nullptr;
  if (napi_define_properties(env, exports, std::size(methods), methods) != napi_ok) return nullptr;
  return exports;
}
