import type { ValidateFunction } from 'ajv';

import type { Account } from '../accounts';
import { issues, problems, type Description, type RequestParts } from '../description';
import type { Issue } from '../failure';
import type { SimulatedService } from '../simulatedService';

/** What an operation has besides its request. */
export interface Context {
	readonly service: SimulatedService;
	/** Identifies the request in the wire log, and in the events that it causes. */
	readonly requestId: string;
	/** The token's account; missing if no token was needed or sent. */
	readonly caller?: Account;
}

/** What is wrong with a request, for the log and for its sender. */
export interface Refused {
	readonly problems: readonly string[];
	readonly issues: readonly Issue[];
}

/** A validated request: what is wrong with it, or the work to do. */
export type Prepared =
	| Refused
	| { readonly problems: readonly []; work(context: Context): unknown };

/** One operation of the service. */
export interface Operation {
	/** `operationId` in openapi.yaml. */
	readonly id: string;
	prepare(description: Description, parts: RequestParts): Prepared;
}

/**
 * Defines an operation. `Request` is the type that openapi.yaml enforces. `answer` returns the `data`
 * of the success envelope or a promise of it, and throws ServiceFailure.
 */
export function defineOperation<Request>(
	id: string,
	answer: (request: Request, context: Context) => unknown,
): Operation {
	const checks = new WeakMap<Description, ValidateFunction<Request>>();
	return {
		id,
		prepare(description, parts) {
			const check = checks.get(description) ?? description.requestCheck<Request>(id);
			checks.set(description, check);
			const request: unknown = parts;
			if (!check(request)) {
				return { problems: problems(check.errors), issues: issues(check.errors) };
			}
			return { problems: [], work: (context) => answer(request, context) };
		},
	};
}
