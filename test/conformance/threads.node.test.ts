import { conform } from './conform.js';

conform('threads');
