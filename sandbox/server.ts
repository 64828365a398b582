import fastify, { type FastifyError, type FastifyInstance } from 'fastify';

import type { Account } from './accounts';
import { addControl } from './control';
import { refuse, serve } from './exchange';
import { OPERATIONS } from './operations';
import { refuseForeignPages } from './origins';
import { SimulatedService } from './simulatedService';
import type { SettingsInput } from './settings';

export type { Account, AccountName } from './accounts';
export type { DeliveryAttempt } from './deliveries';
export type { FaultInput } from './faults';
export { letterOfTheDocument } from './settings';
export type { WireLogEntry } from './wireLog';

/** How to start a sandbox. */
export interface SandboxOptions {
	/** 0, the default, takes any free port. The sandbox listens on 127.0.0.1 only. */
	readonly port?: number;
	/** The same seed gives the same organization and identifiers. */
	readonly seed?: string;
	/** See settings.ts. */
	readonly settings?: SettingsInput;
}

/** A running sandbox. */
export interface Sandbox {
	/** Base URL without a trailing slash. */
	readonly url: string;
	/** The service behind it, for tests in the same process. */
	readonly service: SimulatedService;
	readonly accounts: readonly Account[];
	/** Stops listening, closes connections and cancels retries. */
	close(): Promise<void>;
}

/** Largest body in bytes, of requests to the service and of those that prepare a test. */
const BODY_LIMIT = 1024 * 1024;
const CONTROL_BODY_LIMIT = 64 * BODY_LIMIT;

/** Starts a sandbox; rejects if the port is taken. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const service = new SimulatedService(options.seed ?? 'payroll sandbox', options.settings ?? {});
	const app = fastify({
		bodyLimit: CONTROL_BODY_LIMIT,
		forceCloseConnections: true,
		// Paths that Fastify can't read.
		frameworkErrors: (error, request, reply) => {
			void refuse(service, request, reply, error);
		},
		routerOptions: { maxParamLength: 1_000 },
		exposeHeadRoutes: false,
	});
	// Bodies stay text, since the wire log has to show malformed ones too.
	app.removeAllContentTypeParsers();
	app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
		done(null, body);
	});
	refuseForeignPages(app);
	addService(app, service);
	addControl(app, service);
	service.url = await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	return {
		url: service.url,
		service,
		accounts: service.organisation.accounts,
		close: async () => {
			service.stop();
			await app.close();
		},
	};
}

function addService(app: FastifyInstance, service: SimulatedService): void {
	for (const description of service.description.operations) {
		const operation = OPERATIONS.find(({ id }) => id === description.id);
		if (!operation) throw new Error(`openapi.yaml has an unknown operation ${description.id}`);
		app.route({
			method: description.method,
			bodyLimit: BODY_LIMIT,
			url: description.path.replaceAll(/\{(\w+)\}/g, ':$1'),
			handler: async (request, reply) => {
				const isOther = service.description.otherPaths.includes(description.path);
				const isMissing = isOther && service.settings.openapi === 'letter';
				await serve(service, isMissing ? undefined : { operation, description }, request, reply);
			},
		});
	}
	// Requests that Fastify itself rejects, e.g. a body over the limit.
	app.setErrorHandler<FastifyError>(async (error, request, reply) => {
		await refuse(service, request, reply, error);
	});
	app.setNotFoundHandler(async (request, reply) => {
		if (request.url.startsWith('/sandbox')) {
			const error = `${request.method} ${request.url} does not exist`;
			return await reply.code(404).send({ error });
		}
		await serve(service, undefined, request, reply);
	});
}
