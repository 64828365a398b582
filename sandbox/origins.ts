import type { FastifyInstance } from 'fastify';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * Refuses requests that a web page elsewhere makes a person's browser send: with the Origin of another
 * site, or with a Host whose name was made to lead here.
 */
export function refuseForeignPages(app: FastifyInstance): void {
	app.addHook('onRequest', async ({ headers }, reply) => {
		const { host = '', origin } = headers;
		const isOwnHost = LOOPBACK.has(host.replace(/:\d+$/, '').toLowerCase());
		const isOwnOrigin = origin === undefined || origin === `http://${host}`;
		if (isOwnHost && isOwnOrigin) return;
		const what = isOwnHost ? `the page ${origin}` : `the host ${host}`;
		await reply.code(403).send({ error: `The sandbox doesn’t answer ${what}` });
	});
}
