/** The functions of the addon for ranks, over `ranks.h`: a part of `addon.cc`. */
#pragma once
#include "api/call.h"

namespace addon {

inline napi_value reaches(Call& call) {
  const auto device = static_cast<int32_t>(call.integer("device", INT32_MAX));
  const auto other = static_cast<int32_t>(call.integer("other", INT32_MAX));
  spl_error error;
  const int32_t reached = spl_reaches(device, other, &error);
  rethrow(error);
  return call.makeBoolean(reached != 0);
}

inline napi_value event(Call& call) {
  spl_error error;
  Event made(spl_event_new(call.object<Context>().get(), &error));
  rethrow(error);
  return call.add(std::move(made));
}

inline napi_value signal(Call& call) {
  spl_error error;
  spl_event_record(call.object<Event>().get(), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value awaitEvent(Call& call) {
  spl_context* context = call.object<Context>().get();
  spl_error error;
  spl_event_await(context, call.object<Event>().get(), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value offerVector(Call& call) { return call.make(spl_offer_vector(call.vector("vector"))); }

inline napi_value offerEvent(Call& call) { return call.make(spl_offer_event(call.object<Event>().get())); }

inline napi_value takeVector(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto ticket = static_cast<uint32_t>(call.integer("ticket", UINT32_MAX));
  spl_error error;
  Vector taken(spl_take_vector(context, ticket, &error));
  rethrow(error);
  return call.add(std::move(taken));
}

inline napi_value takeEvent(Call& call) {
  const auto ticket = static_cast<uint32_t>(call.integer("ticket", UINT32_MAX));
  spl_error error;
  Event taken(spl_take_event(ticket, &error));
  rethrow(error);
  return call.add(std::move(taken));
}

inline napi_value draw(Call& call) {
  spl_context* context = call.object<Context>().get();
  spl_vector* target = call.vector("target");
  const uint64_t targetOffset = call.integer("targetOffset", uint64_t{1} << 48);
  const spl_vector* source = call.vector("source");
  const uint64_t sourceOffset = call.integer("sourceOffset", uint64_t{1} << 48);
  const uint64_t bytes = call.integer("bytes", uint64_t{1} << 48);
  checkRange(target, targetOffset, bytes);
  checkRange(source, sourceOffset, bytes);
  spl_error error;
  spl_draw(context, target, targetOffset, source, sourceOffset, bytes, &error);
  rethrow(error);
  return nullptr;
}

using MoveElements = void (*)(uint32_t, uint64_t, spl_vector*, const spl_vector*, const spl_vector*, spl_error*);

/** `IS_Y_FULL`: the elements of y are used in order, else those of x. The places are not checked. */
template <MoveElements MOVE, bool IS_Y_FULL>
napi_value moveElements(Call& call) {
  const uint32_t width = widthOfElements(call);
  const uint64_t length = call.integer("length", UINT32_MAX);
  spl_vector* y = call.vector("y");
  const spl_vector* x = call.vector("x");
  const spl_vector* places = call.vector("places");
  checkRange(IS_Y_FULL ? y : x, 0, width * length);
  checkRange(places, 0, 4 * length);
  spl_error error;
  MOVE(width, length, y, x, places, &error);
  rethrow(error);
  return nullptr;
}

/** Vectors by their numbers in a Uint32Array, at most as many as a kernel takes. @throws Failure `shape` if one has fewer bytes */
inline std::vector<spl_vector*> vectors(Call& call, const char* name, uint64_t bytes) {
  const auto [data, length] = call.view(name);
  const size_t count = length / sizeof(uint32_t);
  if (count == 0 || count > SPL_MOST_SLOTS) {
    throw Failure{"argument", std::string(name) + ": expected 1 to " + std::to_string(int{SPL_MOST_SLOTS}) + " vectors, got " +
                                  std::to_string(count)};
  }
  std::vector<spl_vector*> all;
  for (size_t i = 0; i < count; i++) {
    all.push_back(call.vectorOf(reinterpret_cast<const uint32_t*>(data)[i], name));
    checkRange(all.back(), 0, bytes);
  }
  return all;
}

inline napi_value spread(Call& call) {
  spl_context* context = call.object<Context>().get();
  const uint64_t offset = call.integer("offset", UINT32_MAX);
  const auto slots = vectors(call, "slots", sizeof(double));
  const auto targets = vectors(call, "targets", sizeof(double) * (offset + slots.size()));
  spl_error error;
  spl_spread(context, targets.data(), targets.size(), offset, slots.data(), slots.size(), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value addRanks(Call& call) {
  spl_context* context = call.object<Context>().get();
  const spl_vector* frames = call.vector("frames");
  const uint64_t offset = call.integer("offset", UINT32_MAX);
  const auto ranks = static_cast<uint32_t>(call.integer("ranks", SPL_MOST_SLOTS));
  const auto stride = static_cast<uint32_t>(call.integer("stride", UINT32_MAX));
  const auto slots = vectors(call, "slots", sizeof(double));
  if (ranks == 0 || stride < slots.size())
    throw Failure{"argument", "ranks: expected at least 1, got 0, or a stride below the slots"};
  checkRange(frames, sizeof(double) * offset, sizeof(double) * ranks * stride);
  spl_error error;
  spl_add_ranks(context, frames, offset, ranks, stride, slots.data(), slots.size(), &error);
  rethrow(error);
  return nullptr;
}

}  // namespace addon
