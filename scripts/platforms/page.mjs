/** The checks in a page. Sends the results to the server of the page. */
import * as sparlane from 'sparlane';
import * as asynchronous from 'sparlane/async';
import * as pictures from 'sparlane/pictures';
import { runChecks } from './checks.mjs';

const results = await runChecks([sparlane, asynchronous, pictures]);
await fetch('/results', { method: 'POST', body: JSON.stringify(results) });
