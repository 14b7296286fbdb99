/**
 * Messages to the caller. The library never writes to a console. No product runs while a hint is delivered, so the
 * callback may apply and dispose operators.
 */
export interface Hint {
  /**
   * - `thread-lost`: a thread ended between two products, and new threads are started; or some have not started within
   *   10 s, and the others compute without them. (If a thread ends during a product, that product throws an error
   *   instead.)
   * - `oversubscribed`: more threads than cores, so none of them spins
   * - `not-isolated`: the page is not cross-origin isolated, so the engine runs on one thread
   * - `single-threaded`: threads are not available for another reason
   * - `no-device`: no GPU is available, so the CPU computes; the message gives the reason
   * - `fell-back`: the matrix does not support a parameter of the requested format, or the format has no kernel for blocks of
   *   vectors; the message gives the reason
   * - `fill-in`: the chosen format turned out to store mostly padding, or not to support this matrix; the next best is
   *   used
   * - `converted-late`: more products were computed than expected, so many that another format would have paid off
   * - `tuning-ignored`: the file of `sparlane tune` cannot be read, or is of another machine; built-in constants are
   *   used
   * - `copying-vectors`: a vector outside the shared memory is copied in and out with every product
   * - `stray-error`: a function of `engine.run` has thrown, or left a rejected promise behind, where nobody caught it, and its call has ended
   * - `bound-to-cores`: the launcher has bound a rank to few cores, and others are left over; the message gives the option of the launcher
   * - `one-rank`: a program is alone where a launcher with several ranks seems to have started it
   * - `through-host`: ranks on GPUs exchange elements through the host, because their processes may not open memory of each other
   */
  readonly name:
    | 'thread-lost'
    | 'oversubscribed'
    | 'not-isolated'
    | 'single-threaded'
    | 'no-device'
    | 'fell-back'
    | 'fill-in'
    | 'converted-late'
    | 'tuning-ignored'
    | 'copying-vectors'
    | 'stray-error'
    | 'bound-to-cores'
    | 'one-rank'
    | 'through-host';
  readonly message: string;
}
