/**
 * What the library would say to its caller; it never writes to a console. No product is under way when a hint comes, so
 * that operators may be applied and disposed there.
 */
export interface Hint {
  /**
   * - `thread-lost`: a thread ended between two products, or did not start; others are started. (One that ends inside a
   *   product is an error of that product instead.)
   * - `oversubscribed`: more threads than cores, so none of them spins
   * - `not-isolated`: the page is not cross-origin isolated, so the engine runs on one thread
   * - `single-threaded`: there are no threads here for another reason
   * - `no-device`: there is no GPU to compute on, so the CPU does; the message says why
   * - `fell-back`: a parameter of the format that was asked for cannot be had for this matrix; the message says why
   * - `fill-in`: the format that was chosen turned out to be mostly padding, or is not for this matrix; the next best was taken
   * - `converted-late`: more products were made than were expected, so many that another format would have paid
   * - `tuning-ignored`: what `sparlane tune` stored cannot be read, or is of another machine; built-in constants are used
   * - `copying-vectors`: a vector outside the shared memory is copied in and out with every product
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
    | 'copying-vectors';
  readonly message: string;
}
