/** The files of COO share the entries on the device; other formats call its methods. */
#pragma once
#include "device.cuh"

namespace sparlane {

template <class V, class X>
struct Entries {
  uint32_t nnz;
  const uint32_t* rowIdx;
  const uint32_t* colIdx;
  Values<V, X> values;
};

template <class V, class X>
class StoredEntries {
 public:
  StoredEntries(const Request& request, Plan& plan, const CooAtomicHeader& coo)
      : nnz_(coo.nnz),
        rowIdx_(request.share<uint32_t>(plan, coo.rowIdx, coo.nnz + READ_PAST)),
        colIdx_(request.share<uint32_t>(plan, coo.colIdx, coo.nnz + READ_PAST)),
        values_(request, plan, coo.values, coo.table, coo.nnz + READ_PAST) {}
  Entries<V, X> view() const { return {nnz_, rowIdx_.data(), colIdx_.data(), values_.view()}; }

 private:
  /** Elements after the last entry in the heap (`src/formats/csr/csr.ts`): four neighbours may be read if the first is an entry. */
  static constexpr uint32_t READ_PAST = 4;
  uint32_t nnz_;
  DeviceArray<uint32_t> rowIdx_, colIdx_;
  StoredValues<V, X> values_;
};

/** The methods of the papers: `flegar`, `segmented`, `shared`, `atomic`. */
std::unique_ptr<Plan> makeCooMethod(const Request& request, const Method& method);

}  // namespace sparlane
