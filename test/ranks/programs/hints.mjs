/** Joins with default threads. Every rank prints its hints, and the threads that it has. */
import { joinRanks } from 'sparlane';

const hints = [];
const comm = await joinRanks({ onHint: ({ name, message }) => hints.push([name, message]) });
const { rank, size, engine } = comm;
process.stdout.write(`rank ${rank}: ${JSON.stringify({ size, hints, threads: engine.threads })}\n`);
