/**
 * The script of Piscina's workers, which Piscina loads by `require`. The member itself is an ES module, and loaded by `import()`: Node 20
 * ends the process if a thread is ended while it requires an ES module ("IsGraphAsync must be used on an instantiated module").
 */
import type { NodeOrders } from './member.node.js' with { 'resolution-mode': 'import' };

const member = import('./member.node.js');
// The first task reports it.
member.catch(() => {});

async function start(orders: NodeOrders): Promise<number | undefined> {
  return (await member).default(orders);
}

module.exports = start;
