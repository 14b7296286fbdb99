import { conform } from './conform.js';

conform('reference');
