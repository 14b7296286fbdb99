/** A compute thread of Node: the bundle `member.node.cjs`, or what `member.node.cts` imports. Each message is an order to stand by. */
import { parentPort } from 'node:worker_threads';
import { standBy } from './stand-by.node.js';

parentPort!.on('message', standBy);
