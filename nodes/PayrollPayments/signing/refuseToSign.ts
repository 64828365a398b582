import { Refusal, type ErrorContext } from '../shared/errors';

/** Whether the credentials' wallet signs, or the user provides a signature. */
export type SignatureSource = 'wallet' | 'provided';

/** A signing guard's error. Its `fault` is the message without “so nothing was signed”. */
class GuardRefusal extends Refusal {
	constructor(
		readonly fault: string,
		readonly context: ErrorContext,
	) {
		super(`${fault}, so nothing was signed.`, context);
	}
}

/** @throws {Refusal} that says what is wrong, and that nothing was signed */
export function refuseToSign(what: string, context: ErrorContext = {}): never {
	throw new GuardRefusal(what, {
		field: 'typedData',
		hint: 'Compare the typed data with the service’s documentation, or contact its support.',
		...context,
	});
}

/** The result of a check, or the error it threw. */
function outcomeOf<Result>(check: () => Result): { result: Result } | { error: unknown } {
	try {
		return { result: check() };
	} catch (error) {
		return { error };
	}
}

/**
 * Runs a signing guard. If the signature is provided, its error says that nothing was sent, because
 * there was nothing to sign.
 */
export function guarded<Result>(source: SignatureSource, check: () => Result): Result {
	const outcome = outcomeOf(check);
	if ('result' in outcome) return outcome.result;
	const { error } = outcome;
	if (source === 'wallet' || !(error instanceof GuardRefusal)) throw error;
	throw new Refusal(`${error.fault}, so nothing was sent.`, error.context);
}
