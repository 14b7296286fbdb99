/**
 * The exports of the addon. Objects of the device are numbers; `release` frees one. Errors have `code`: `argument` and `shape`
 * for bad arguments, found before the first CUDA call; `heap` if the device is full; `backend` with the name of the CUDA call
 * that failed. */
export type Handle = number;

export interface AddonDevice {
  readonly name: string;
  readonly memoryBytes: number;
  readonly l2Bytes: number;
  /** Compute capability: 9 for Hopper. */
  readonly capability: number;
  readonly multiprocessors: number;
  /** The driver states the clocks of the multiprocessors and of the memory. Those of the memory are 0 where it has none of its own. */
  readonly clockKhz: number;
  readonly memoryClockKhz: number;
  readonly memoryBusBits: number;
  /** A block has at most `blockSharedBytes` of shared memory, a multiprocessor has `sharedBytes`, and runs `threads` threads at a time. */
  readonly blockSharedBytes: number;
  readonly sharedBytes: number;
  readonly threads: number;
}

/** A method of a kernel is expected to take `ns` nanoseconds, or at least so many where that shows that another method is faster. */
export interface AddonEstimate {
  readonly method: string;
  readonly ns: number;
}

/** A kernel, for all dtypes and storages of values and columns. Base and verb name it; the two are those of a stage's kernel. */
export interface AddonKernel {
  readonly base: string;
  readonly verb: string;
  /** The first is the one expected to be fastest in general. */
  readonly methods: readonly {
    /** Named as in its paper. */
    readonly name: string;
    /** The parameters that it accepts. */
    readonly parameters: readonly string[];
    /** Uses atomic adds: the bits of y depend on the order of the threads. */
    readonly atomic: boolean;
  }[];
}

export interface Addon {
  /**
   * Does not throw if there is no device. `outcome` is cudaGetDeviceCount's; versions are 13000 for 13.0, 0 for none; `headers` is the SHA-256
   * of the description of the headers that the kernels read.
   */
  status(): { driver: number; runtime: number; outcome: number; devices: AddonDevice[]; headers: string };
  kernels(): AddonKernel[];
  /** @param urgent 1: its operations come before those of other contexts that wait for room on the device; 0 */
  open(device: number, urgent: number): Handle;
  release(object: Handle): void;
  synchronize(context: Handle): void;
  memory(context: Handle): { freeBytes: number; totalBytes: number };
  /** Returns released memory to the device. */
  trim(context: Handle): void;
  /** Asks the system for large pages: for `bytes` from the begin of `memory`, in use or reserved. */
  adviseHugePages(memory: Uint8Array, bytes: number): void;
  /** Pins memory of the host: copies from and to it become fast. Unpin it before it is freed. */
  pin(context: Handle, memory: Uint8Array): void;
  unpin(memory: Uint8Array): void;
  /** The contents are undefined. */
  vector(context: Handle, bytes: number): Handle;
  /** With pinned memory it returns before the numbers are copied. */
  upload(vector: Handle, offset: number, source: ArrayBufferView): void;
  /** With pinned memory it returns before the numbers are there; `synchronize` waits for them. */
  download(vector: Handle, offset: number, target: ArrayBufferView): void;
  /** Queues zeros for the first bytes of a vector. */
  clear(vector: Handle, bytes: number): void;
  /** A slice of a vector. It shares the vector's memory, which is freed with the last of them. */
  slice(vector: Handle, offset: number, bytes: number): Handle;
  /** Operations queued on one from now on wait for those already queued on the other. */
  after(context: Handle, other: Handle): void;
  /** Lets kernels of one device use vectors of the other; returns whether they can. */
  link(context: Handle, other: Handle): boolean;
  /**
   * Queues a copy of bytes on the target's device, between devices or on one, after all that was queued on either. Operations
   * queued later on the source's device do not wait for it, except after `after`.
   */
  copy(target: Handle, targetOffset: number, source: Handle, sourceOffset: number, bytes: number): void;
  /** Queues y[order[i]] ← x[i] for elements of 4 or 8 bytes; `order` is a permutation of 32-bit numbers, which is not checked. */
  scatter(width: number, length: number, y: Handle, x: Handle, order: Handle): void;
  /** Queues y ← x for `length` elements of 4 or 8 bytes: those from element `offset` of the vector on, `stride` apart. */
  copyStrided(
    width: number,
    length: number,
    y: Handle,
    yOffset: number,
    yStride: number,
    x: Handle,
    xOffset: number,
    xStride: number,
  ): void;
  /**
   * Queues a transposition of compressed rows: ptr, idx and moved become the rows of the transpose, each with its columns in ascending
   * order. Indices have 32 bits, values `width` bytes, 4 or 8. The vectors may be longer than their arrays; columns are not checked.
   */
  transpose(
    width: number,
    rows: number,
    cols: number,
    nnz: number,
    rowPtr: Handle,
    colIdx: Handle,
    values: Handle,
    ptr: Handle,
    idx: Handle,
    moved: Handle,
  ): void;
  /** Plans made while the vector is in use take its memory for the array of as many bytes at `offset` of the heap, instead of a copy. */
  lend(vector: Handle, offset: number): void;
  /** Queues a read of a vector of zeros: its time gives the bandwidth of the memory. */
  read(zeros: Handle): void;
  /** Queues random gathers of f64 from a vector of zeros: their time gives the rate of gathers. `count`: a multiple of 16384. */
  gather(zeros: Handle, count: number): void;
  /**
   * `kernel`: `columns` are the bits of a column index, 32 by default; how values are stored is in the header. `dtype`: 0 f64, 1
   * f32, 2 mixed. `method` may be empty. `rows` and `cols` are the lengths of y and x. `matrix`: a number from 1 on for each matrix,
   * never used again; the plans of a matrix share memory. `patient`: 1 if the inspection may take the time of thousands of products, else 0.
   */
  plan(
    context: Handle,
    kernel: { readonly base: string; readonly verb: string; readonly columns?: number },
    dtype: number,
    heap: Uint8Array,
    header: number,
    method: string,
    rows: number,
    cols: number,
    matrix: number,
    patient: number,
  ): { plan: Handle; bytes: number; method: string; estimates: AddonEstimate[] };
  /**
   * The methods among which the plan of a stage would choose on a device, the least time first; arguments as for `plan`. Empty if the kernel has no choice. It
   * needs no GPU. `estimates` of a plan are the same; they are empty if its method was asked for.
   */
  estimate(
    device: Omit<AddonDevice, 'name' | 'memoryBytes' | 'capability'>,
    kernel: { readonly base: string; readonly verb: string; readonly columns?: number },
    dtype: number,
    heap: Uint8Array,
    header: number,
    patient: number,
  ): AddonEstimate[];
  /**
   * Queues y ← α A x + β y, and returns. `stride`: 1, or with a plan for `spmm` the elements from one row of x and y to the next, a multiple of
   * 16 bytes.
   */
  run(plan: Handle, x: Handle, y: Handle, alpha: number, beta: number, stride: number): void;
  /**
   * Queue slot ← xᵀ y, y ← d ∘ x element by element, y ← a x + b y (d and x may be y) and slot ← a ∘ b, over vectors of
   * elements of 4 or 8 bytes. A slot is a vector of one f64. A factor is a slot, or 0 for none, and a number it is multiplied by. `operation`:
   * 0 +, 1 −, 2 ×, 3 ÷, 4 the square root of a.
   */
  dot(width: number, x: Handle, y: Handle, slot: Handle): void;
  multiply(width: number, d: Handle, x: Handle, y: Handle): void;
  axpby(width: number, a: Handle, aTimes: number, x: Handle, b: Handle, bTimes: number, y: Handle): void;
  compute(operation: number, a: Handle, aTimes: number, b: Handle, bTimes: number, slot: Handle): void;
  /** 1: operations on vectors and scalars may be queued later, together; 0: queues those that wait. */
  collect(context: Handle, on: number): void;
  /** Operations on this device queued from here on are recorded, until `recordEnd`. The graph keeps the objects it uses alive. */
  recordBegin(context: Handle): void;
  recordEnd(context: Handle): Handle;
  launch(graph: Handle): void;
  /**
   * Prepares a timed operation: reads that many bytes of other memory, and waits briefly, so that the operation is queued
   * meanwhile.
   */
  prepare(context: Handle, flushBytes: number): void;
  /** The begin (0) or the end (1) of a timed operation. */
  mark(context: Handle, mark: number): void;
  /** Milliseconds between the marks, when both have been reached. */
  elapsed(context: Handle): number;
  /** Returns 16 bytes by which every process of every machine knows a device. */
  identity(device: number): Uint8Array;
  /** Whether a device can use the memory of the one with an identity, which this process must see. */
  reaches(device: number, identity: Uint8Array): boolean;
  /** Returns a vector of zeros that other ranks can take. Its memory belongs to the context until this is released. */
  sharedVector(context: Handle, bytes: number): Handle;
  /** Returns 112 bytes by which other ranks take a shared vector, or a slice of it. */
  offerVector(vector: Handle): Uint8Array;
  /** Lets the device of the context use the vector. */
  takeVector(context: Handle, ticket: Uint8Array): Handle;
  /**
   * Queue y[i] ← x[places[i]], and y[places[i]] ← y[places[i]] + x[i], for elements of 4 or 8 bytes; `places` has different 32-bit
   * numbers, which are not checked.
   */
  pick(width: number, length: number, y: Handle, x: Handle, places: Handle): void;
  addAt(width: number, length: number, y: Handle, x: Handle, places: Handle): void;
  /**
   * Begins a turn of an exchange: queues writes of elements of `width` bytes to frames on other devices, x[places[i]] for i below `ends[0]` to the first one,
   * and so on; the place 2³² − 1 stands for 0. Places are not checked.
   *
   * @param turns 8 bytes, zeros at first, of this exchange
   * @param ends ascending, at most 16
   * @param frames two for each end, for even and odd turns: zeros at first, 2 `width` bytes for each element
   */
  push(width: number, turns: Handle, x: Handle, places: Handle, ends: Uint32Array, frames: Uint32Array): void;
  /** Ends a turn of an exchange: queues a wait until all of a frame has arrived, and y[i] ← element i of the frame for i below `length`. */
  take(width: number, turns: Handle, y: Handle, length: number, even: Handle, odd: Handle): void;
  /**
   * Dot products of the context are from now on sums over ranks, by halves, which wait on the device for those of the others.
   *
   * @param frames one of each rank, at most 16: 4096 bytes, zeros at first
   */
  joinRanks(context: Handle, frames: Uint32Array, rank: number): void;
}

export declare function loadAddon(): Addon;
