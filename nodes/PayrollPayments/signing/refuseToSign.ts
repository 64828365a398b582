import { Refusal, type ErrorContext } from '../shared/errors';

/** Who signs the typed data: the wallet of the credentials, or someone who has signed it already. */
export type SignatureSource = 'wallet' | 'provided';

/** What a signing guard refuses, without the end of the sentence. */
class GuardRefusal extends Refusal {
	constructor(
		readonly fault: string,
		readonly context: ErrorContext,
	) {
		super(`${fault}, so nothing was signed.`, context);
	}
}

/** Throws a {@link Refusal} that says what is wrong and that nothing was signed because of it. */
export function refuseToSign(what: string, context: ErrorContext = {}): never {
	throw new GuardRefusal(what, {
		field: 'typedData',
		hint: 'Compare the typed data with what the service documents, or ask its support.',
		...context,
	});
}

/** What a check returned, or what it threw. */
function outcomeOf<Result>(check: () => Result): { result: Result } | { error: unknown } {
	try {
		return { result: check() };
	} catch (error) {
		return { error };
	}
}

/**
 * Runs a signing guard. Where the signature is already made, its refusal says that nothing was sent:
 * there was nothing to sign here.
 */
export function guarded<Result>(source: SignatureSource, check: () => Result): Result {
	const outcome = outcomeOf(check);
	if ('result' in outcome) return outcome.result;
	const { error } = outcome;
	if (source === 'wallet' || !(error instanceof GuardRefusal)) throw error;
	throw new Refusal(`${error.fault}, so nothing was sent.`, error.context);
}
