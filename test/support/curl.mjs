/**
 * Stands in for curl on a machine that has none, for the options of the lines that we show people.
 */
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		data: { type: 'string', short: 'd' },
		'data-raw': { type: 'string' },
		header: { type: 'string', short: 'H', multiple: true },
		request: { type: 'string', short: 'X' },
		include: { type: 'boolean', short: 'i' },
		'fail-with-body': { type: 'boolean' },
		silent: { type: 'boolean', short: 's' },
		'show-error': { type: 'boolean', short: 'S' },
	},
});
const body = values.data ?? values['data-raw'];
const headers = new Headers();
if (body !== undefined) headers.set('content-type', 'application/x-www-form-urlencoded');
for (const header of values.header ?? []) {
	const colon = header.indexOf(':');
	headers.set(header.slice(0, colon), header.slice(colon + 1).trim());
}
const method = values.request ?? (body === undefined ? 'GET' : 'POST');
const response = await fetch(positionals[0], { method, headers, body });
if (values.include) {
	const lines = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`);
	process.stdout.write(
		`HTTP/1.1 ${response.status} ${response.statusText}\r\n${lines.join('')}\r\n`,
	);
}
process.stdout.write(await response.text());
process.exitCode = values['fail-with-body'] && !response.ok ? 22 : 0;
