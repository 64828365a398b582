import { createServer } from 'node:http';

import '../support/withoutPauses';
import { CONTINUE, processedKeys, runNode } from '../support/actionHost';
import { listen } from '../support/httpServer';
import { FORMS, withAccessToken } from '../support/operationForms';

const NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'];

beforeEach(() => {
	for (const name of ['NO_PROXY', 'no_proxy']) Reflect.deleteProperty(process.env, name);
});

afterEach(() => {
	for (const name of NAMES) Reflect.deleteProperty(process.env, name);
});

async function pay(proxy: string, baseUrl = 'https://api.example.com') {
	for (const name of NAMES) process.env[name] = proxy;
	const saved = withAccessToken(baseUrl);
	const { output } = await runNode(saved, FORMS.createInstantPayment, CONTINUE);
	return output[0]?.json;
}

const refused = (error: string, more: object = {}) => ({
	error: expect.stringMatching(error),
	...{ outcome: 'refused', hint: expect.stringContaining('HTTPS_PROXY') },
	...more,
});

it('a proxy that refuses the connection is named, and nothing was sent', async () => {
	expect(await pay('http://127.0.0.1:1')).toMatchObject(
		refused('the proxy 127.0.0.1:1 refused the connection'),
	);
	expect(await pay('http://proxy.invalid:3128')).toMatchObject(
		refused('the host name of the proxy proxy.invalid wasn’t found'),
	);
});

it('a proxy that wants a login clears the record of the payment that it kept back', async () => {
	const server = createServer();
	server.on('connect', (_request, socket) => {
		socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
	});
	const { url } = await listen(server);
	const wanted = refused('wants n8n to sign in \\(HTTP 407\\)', { http_status: 407 });
	for (let time = 0; time < 2; time++) expect(await pay(url)).toMatchObject(wanted);
	expect(processedKeys.entries()).toEqual([]);
});

it('a proxy that stops before the payment clears its record', async () => {
	for (let time = 0; time < 2; time++) {
		let asked = 0;
		const server = createServer((_request, response) => {
			asked += 1;
			response.writeHead(404, { connection: 'close', 'content-type': 'application/json' });
			response.end('{ "success": false, "data": "No balance", "error_code": "NOT_FOUND" }');
			server.close();
		});
		const { url } = await listen(server);
		expect(await pay(url, `http://localhost:${time + 1}`)).toMatchObject(
			refused('^The payment of .* was not sent\\. No response .*: the proxy 127'),
		);
		expect(asked).toBe(1);
	}
	expect(processedKeys.entries()).toEqual([]);
});
