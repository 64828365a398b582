import type { IncomingHttpHeaders } from 'node:http';

import type { FastifyInstance } from 'fastify';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/**
 * What made a person's browser send this request, if it was a web page elsewhere: with the Origin of
 * another site, or with a Host whose name was made to lead here.
 */
export function foreignSource({ host = '', origin }: IncomingHttpHeaders): string | undefined {
	if (!LOOPBACK.has(host.replace(/:\d+$/, '').toLowerCase())) return `the host ${host}`;
	const isOwnOrigin = origin === undefined || origin === `http://${host}`;
	return isOwnOrigin ? undefined : `the page ${origin}`;
}

/** Refuses requests from web pages elsewhere. */
export function refuseForeignPages(app: FastifyInstance): void {
	app.addHook('onRequest', async ({ headers }, reply) => {
		const what = foreignSource(headers);
		if (what === undefined) return;
		await reply.code(403).send({ error: `The sandbox doesn’t answer ${what}` });
	});
}
