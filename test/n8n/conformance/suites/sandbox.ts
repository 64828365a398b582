import { examplesOf, isRecord, type Example, type Examples } from '../examples';
import { openapi, OPERATIONS, schema, type DocumentedOperation, type Schema } from '../openapi';
import type { World } from '../world';

/** A request that openapi.yaml allows or rules out. */
interface Trial {
	readonly what: string;
	readonly isAllowed: boolean;
	readonly url: string;
	readonly body?: unknown;
}

function urlOf(template: string, path: unknown, query: unknown, separator?: string): string {
	const values = isRecord(path) ? path : {};
	const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
		encodeURIComponent(String(values[name])),
	);
	const pairs = Object.entries(isRecord(query) ? query : {}).flatMap(([name, value]) => {
		const texts = (Array.isArray(value) ? value : [value]).map(String);
		return (separator === undefined ? texts : [texts.join(separator)]).map(
			(text): [string, string] => [name, text],
		);
	});
	return `${filled}?${new URLSearchParams(pairs).toString()}`;
}

/** Examples of one part of a request, the other parts complete. */
function trialsOf(operation: DocumentedOperation): Trial[] {
	const { path, pathParameters, query, body, isCommaSeparated } = operation;
	const full = (part: Schema | undefined): unknown =>
		part === undefined ? undefined : examplesOf(part).allowed[0].value;
	const complete = { path: full(pathParameters), query: full(query), body: full(body) };
	const trial = (isAllowed: boolean, what: string, change: object, separator?: string): Trial => {
		const parts = { ...complete, ...change };
		const url = urlOf(path, parts.path, parts.query, separator);
		return { what, isAllowed, url, ...(parts.body === undefined ? {} : { body: parts.body }) };
	};
	const each = (
		part: keyof typeof complete,
		{ allowed, forbidden }: Examples,
		isWanted: (example: Example) => boolean = () => true,
	): Trial[] =>
		[allowed, forbidden].flatMap((examples, index) =>
			examples
				.filter(isWanted)
				.map(({ what, value }) => trial(index === 0, `${part}, ${what}`, { [part]: value })),
		);
	return [
		/* A path has each of its parts once, and text in them. */
		...each(
			'path',
			examplesOf(pathParameters),
			({ what, isOtherType }) => isOtherType !== true && !/^no |unknown field/.test(what),
		),
		...each('query', examplesOf(query), ({ isOtherType }) => isOtherType !== true),
		...(isCommaSeparated
			? examplesOf(query)
					.allowed.filter(({ what }) => !what.endsWith(': 0 entries'))
					.map(({ what, value }) =>
						trial(true, `query, ${what}, with commas`, { query: value }, ','),
					)
			: []),
		...(body === undefined
			? []
			: [trial(false, 'no body', { body: undefined }), ...each('body', examplesOf(body))]),
	];
}

/** What is wrong with examples that should fit, and those that fit though they shouldn't. */
function disagreements(examples: Examples, isValid: (value: unknown) => boolean): string[] {
	return [
		...examples.allowed.filter(({ value }) => !isValid(value)),
		...examples.forbidden.filter(({ value }) => isValid(value)),
	].map(({ what }) => what);
}

/** The sandbox judges as openapi.yaml says, whatever is sent, answered or delivered. */
export function sandboxSuite(world: World): void {
	it.each(OPERATIONS)('takes what $id allows, and nothing else', async (operation) => {
		const token = await world.token();
		const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
		const { method } = operation;
		const trials = trialsOf(operation);
		const wrong: unknown[] = [];
		for (const { what, isAllowed, url, body } of trials) {
			world.service.wireLog.clear();
			const response = await fetch(world.url + url, {
				method,
				headers,
				body: method === 'GET' ? undefined : JSON.stringify(body),
			});
			await response.arrayBuffer();
			const [entry] = world.wire();
			const isRefused = response.status === 400 || response.status === 404;
			if (entry?.valid !== isAllowed || (!isAllowed && !isRefused))
				wrong.push([what, response.status, entry?.problems]);
		}
		expect(wrong).toEqual([]);
		const anonymous = await fetch(world.url + (trials[0]?.url ?? ''), { method });
		expect(anonymous.status === 401).toBe(operation.token !== 'none');
	});

	it.each(OPERATIONS)('checks answers to $id', ({ id, answer, failures }) => {
		const examples = examplesOf(answer);
		const check = world.service.description.answerCheck(id, 200);
		expect(disagreements(examples, (data) => check({ success: true, data }))).toEqual([]);
		expect(check({ success: true, data: examples.allowed[0].value, error_code: 'x' })).toBe(false);
		expect(check({ success: false, data: examples.allowed[0].value })).toBe(false);
		expect(failures).toEqual(id === 'createInstantPayment' ? ['default'] : STATUSES.map(String));
	});

	it('checks failures, and has the documented version and schemes', () => {
		const examples = examplesOf(schema('FailureEnvelope'));
		const check = world.service.description.answerCheck('getBalance', 400);
		expect(disagreements(examples, (body) => check(body))).toEqual([]);
		expect(openapi.info.version).toBe('2.0.0');
		expect(openapi.components.securitySchemes).toMatchObject({
			bearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
			v1Auth: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
		});
	});

	it.each(['EventEnvelope', 'DepositReceivedEvent'])('checks events: %s', (name) => {
		const examples = examplesOf(schema(name));
		const faults = disagreements(
			examples,
			(event) => world.service.description.eventProblems(event).length === 0,
		);
		expect(faults).toEqual([]);
	});
}

const STATUSES = [400, 401, 403, 404, 500];
