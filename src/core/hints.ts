/** What the library would say to its caller; it never writes to a console. */
export interface Hint {
  /**
   * - `thread-lost`: a thread ended between two products; another is started
   * - `oversubscribed`: more threads than cores, so none of them spins
   * - `not-isolated`: the page is not cross-origin isolated, so the engine runs on one thread
   * - `copying-vectors`: a vector outside the shared memory is copied in and out with every product
   */
  readonly name: 'thread-lost' | 'oversubscribed' | 'not-isolated' | 'copying-vectors';
  readonly message: string;
}
