/** The functions of the addon for ranks, over `ranks.h`: a part of `addon.cc`. */
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "api/call.h"

namespace addon {

/** Returns the bytes of a typed array, of which there must be `count`. */
inline const uint8_t* bytesOf(Call& call, const char* name, size_t count) {
  const auto [data, length] = call.view(name);
  if (length == count) return data;
  throw Failure{"argument", std::string(name) + ": expected " + std::to_string(count) + " bytes, got " + std::to_string(length)};
}

inline napi_value identity(Call& call) {
  const auto device = static_cast<int32_t>(call.integer("device", INT32_MAX));
  std::array<uint8_t, SPL_IDENTITY> bytes;
  spl_error error;
  spl_identity(device, bytes.data(), &error);
  rethrow(error);
  return call.make(std::span<const uint8_t>(bytes));
}

inline napi_value reaches(Call& call) {
  const auto device = static_cast<int32_t>(call.integer("device", INT32_MAX));
  const uint8_t* other = bytesOf(call, "identity", SPL_IDENTITY);
  spl_error error;
  const int32_t reached = spl_reaches(device, other, &error);
  rethrow(error);
  return call.makeBoolean(reached != 0);
}

inline napi_value offerVector(Call& call) {
  const spl_vector* vector = call.vector("vector");
  std::array<uint8_t, SPL_TICKET> ticket;
  spl_error error;
  spl_offer_vector(vector, ticket.data(), &error);
  rethrow(error);
  return call.make(std::span<const uint8_t>(ticket));
}

inline napi_value takeVector(Call& call) {
  spl_context* context = call.object<Context>().get();
  const uint8_t* ticket = bytesOf(call, "ticket", SPL_TICKET);
  spl_error error;
  Vector taken(spl_take_vector(context, ticket, &error));
  rethrow(error);
  return call.add(std::move(taken));
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

/** Returns the numbers of a Uint32Array. @throws Failure `argument` unless there are 1 to `most` */
inline std::span<const uint32_t> numbers(Call& call, const char* name, uint32_t most) {
  const auto [data, length] = call.view(name);
  const size_t count = length / sizeof(uint32_t);
  if (count == 0 || count > most) {
    throw Failure{"argument",
                  std::string(name) + ": expected 1 to " + std::to_string(most) + " numbers, got " + std::to_string(count)};
  }
  return {reinterpret_cast<const uint32_t*>(data), count};
}

/** Returns the vectors whose numbers are in a Uint32Array. @throws Failure `shape` if one has fewer than `bytes` bytes */
inline std::vector<spl_vector*> vectors(Call& call, const char* name, uint32_t most, uint64_t bytes) {
  std::vector<spl_vector*> all;
  for (const uint32_t number : numbers(call, name, most)) {
    all.push_back(call.vectorOf(number, name));
    checkRange(all.back(), 0, bytes);
  }
  return all;
}

inline napi_value push(Call& call) {
  const uint32_t width = widthOfElements(call);
  spl_vector* turns = call.vector("turns", 2 * sizeof(uint32_t));
  const spl_vector* x = call.vector("x");
  const spl_vector* places = call.vector("places");
  const auto ends = numbers(call, "ends", SPL_MOST_RANKS);
  const auto frames = vectors(call, "frames", 2 * SPL_MOST_RANKS, 0);
  if (frames.size() != 2 * ends.size()) {
    throw Failure{"argument", "frames: expected two for each end, " + std::to_string(2 * ends.size()) + ", got " +
                                  std::to_string(frames.size())};
  }
  uint64_t begin = 0;
  for (size_t d = 0; d < ends.size(); d++) {
    if (ends[d] <= begin) throw Failure{"argument", "ends: expected ascending numbers, got " + std::to_string(ends[d])};
    for (const size_t parity : {0, 1}) checkRange(frames[2 * d + parity], 0, 2 * width * (ends[d] - begin));
    begin = ends[d];
  }
  checkRange(places, 0, sizeof(uint32_t) * begin);
  spl_error error;
  spl_push(width, turns, x, places, ends.data(), frames.data(), static_cast<uint32_t>(ends.size()), &error);
  rethrow(error);
  return nullptr;
}

inline napi_value take(Call& call) {
  const uint32_t width = widthOfElements(call);
  spl_vector* turns = call.vector("turns", 2 * sizeof(uint32_t));
  spl_vector* y = call.vector("y");
  const auto length = static_cast<uint32_t>(call.integer("length", UINT32_MAX));
  const spl_vector* even = call.vector("even");
  const spl_vector* odd = call.vector("odd", spl_vector_bytes(even));
  checkRange(y, 0, uint64_t{width} * length);
  checkRange(even, 0, std::max<uint64_t>(1, uint64_t{2} * width * length));
  spl_error error;
  spl_take(width, turns, y, length, even, odd, &error);
  rethrow(error);
  return nullptr;
}

inline napi_value joinRanks(Call& call) {
  spl_context* context = call.object<Context>().get();
  const auto frames = vectors(call, "frames", SPL_MOST_RANKS, SPL_SUM_FRAME);
  const auto rank = static_cast<uint32_t>(call.integer("rank", frames.size() - 1));
  spl_error error;
  spl_join_ranks(context, frames.data(), static_cast<uint32_t>(frames.size()), rank, &error);
  rethrow(error);
  return nullptr;
}

}  // namespace addon
