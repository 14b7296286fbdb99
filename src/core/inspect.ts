/** Lets Node's `console.log` and `util.inspect` print the objects of a class by their `toString`. */
export function printsAsText(prototype: object): void {
  Object.defineProperty(prototype, Symbol.for('nodejs.util.inspect.custom'), {
    value(this: object): string {
      return this.toString();
    },
  });
}
