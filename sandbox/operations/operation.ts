import type { ValidateFunction } from 'ajv';

import type { Account } from '../accounts';
import { problems, type Description, type RequestParts } from '../description';
import type { Service } from '../service';

/** What an operation works with besides its request. */
export interface Context {
	readonly service: Service;
	/** The account of the token; absent where no token was needed and none came. */
	readonly caller?: Account;
}

/** A request held against the description: what is wrong, or the work to do. */
export type Prepared =
	| { readonly problems: readonly string[] }
	| { readonly problems: readonly []; work(context: Context): unknown };

/** One operation of the service, its request type folded away. */
export interface Operation {
	/** `operationId` in openapi.yaml. */
	readonly id: string;
	prepare(description: Description, parts: RequestParts): Prepared;
}

/**
 * Defines an operation. `Request` states what openapi.yaml enforces; `answer` gives the `data` of the
 * success envelope, or a promise of it, and throws ServiceFailure.
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
			if (!check(request)) return { problems: problems(check.errors) };
			return { problems: [], work: (context) => answer(request, context) };
		},
	};
}
