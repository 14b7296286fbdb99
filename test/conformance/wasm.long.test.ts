import { conform } from './conform.js';

conform('wasm');
