import {
	OPERATIONS,
	depositReceived,
	eventEnvelope,
	failure,
	type DocumentedOperation,
} from './document';
import { object, type Example, type Fields, type Kind } from './kinds';
import { answerFaults, eventFaults, requestFaults, schemaFaults } from './openapi';

/** Where openapi.yaml and the document disagree, and how many examples were tried. */
export interface Comparison {
	/** Examples that the document allows. */
	readonly accepted: number;
	/** Examples that it rules out. */
	readonly refused: number;
	readonly disagreements: readonly string[];
}

type FaultsOf = (value: unknown) => readonly string[];

/** Every example that the document allows must be allowed, and every one that it rules out refused. */
function compare(kind: Kind, faultsOf: FaultsOf, where: string): Comparison {
	return {
		accepted: kind.allowed.length,
		refused: kind.forbidden.length,
		disagreements: [
			...kind.allowed.flatMap(({ what, value }) =>
				faultsOf(value).map((fault) => `${where}, ${what} should be allowed: ${fault}`),
			),
			...kind.forbidden
				.filter(({ value }) => faultsOf(value).length === 0)
				.map(({ what }) => `${where}, ${what} should be refused`),
		],
	};
}

function together(comparisons: readonly Comparison[]): Comparison {
	return {
		accepted: comparisons.reduce((sum, { accepted }) => sum + accepted, 0),
		refused: comparisons.reduce((sum, { refused }) => sum + refused, 0),
		disagreements: comparisons.flatMap(({ disagreements }) => disagreements),
	};
}

const NUMBER_AS_TEXT = /: "-?\d+"$/;

/** Paths and queries hold text, where a number and its digits are the same. */
function asText(kind: Kind, part: 'path' | 'query'): Kind {
	const isText = ({ what, value }: Example): boolean =>
		typeof value === 'object' &&
		!NUMBER_AS_TEXT.test(what) &&
		(part === 'query' || what !== 'an unknown field');
	return { ...kind, forbidden: kind.forbidden.filter(isText) };
}

const texts = (value: unknown): Record<string, string | string[]> =>
	Object.fromEntries(
		Object.entries(value ?? {}).map(([name, each]): [string, string | string[]] => [
			name,
			Array.isArray(each) ? each.map(String) : String(each),
		]),
	);

const fullOf = (fields: Fields | undefined): unknown =>
	fields === undefined ? undefined : object(fields).allowed[0].value;

export function compareRequests(operation: DocumentedOperation): Comparison {
	const { method, path, pathParameters, query = [], body = [] } = operation;
	const send = (parts: { path?: unknown; query?: unknown; body?: unknown }): readonly string[] => {
		const names = texts(parts.path ?? fullOf(pathParameters));
		return requestFaults({
			method,
			path: path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
				encodeURIComponent(String(names[name])),
			),
			query: texts(parts.query ?? fullOf(query[0])),
			body: 'body' in parts ? parts.body : fullOf(body[0]),
		});
	};
	return together([
		...(pathParameters === undefined
			? []
			: [
					compare(
						asText(object(pathParameters), 'path'),
						(value) => send({ path: value }),
						`${path}, path`,
					),
				]),
		...query.map((fields) =>
			compare(asText(object(fields), 'query'), (value) => send({ query: value }), `${path}, query`),
		),
		...body.map((fields) =>
			compare(object(fields), (value) => send({ body: value }), `${method} ${path}, body`),
		),
	]);
}

export function compareAnswers(operationId: string, { answer }: DocumentedOperation): Comparison {
	return compare(answer, (value) => answerFaults(operationId, value), `${operationId}, answer`);
}

export function compareEvents(): Comparison {
	return together([
		compare(depositReceived, (value) => eventFaults('deposit.received', value), 'deposit.received'),
		compare(eventEnvelope, (value) => eventFaults('event', value), 'event'),
	]);
}

export function compareFailures(): Comparison {
	return compare(failure, (value) => schemaFaults('FailureEnvelope', value), 'failure');
}

export const DOCUMENTED: ReadonlyArray<readonly [string, DocumentedOperation]> =
	Object.entries(OPERATIONS);
