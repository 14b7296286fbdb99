import { answersOf } from './model.js';

self.onmessage = async ({ data: [url, factor] }: MessageEvent<Parameters<typeof answersOf>>) =>
  self.postMessage(await answersOf(url, factor).catch(String));
