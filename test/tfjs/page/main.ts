import { type Answers, answersOf } from './model.js';

declare global {
  interface Window {
    answersHere: typeof answersOf;
    answersInWorker: typeof answersOf;
  }
}

window.answersHere = answersOf;
window.answersInWorker = (...question) =>
  new Promise<Answers>((resolve) => {
    const worker = new Worker(new URL('./model.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => resolve(data);
    worker.postMessage(question);
  });
