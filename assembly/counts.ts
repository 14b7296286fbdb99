/** Small numbers as type parameters, known when a kernel is compiled: a number is the size of its type in bytes, `sizeof<R>()`. */
export type One = u8;
export type Two = u16;
export type Four = u32;
export type Eight = u64;
