import { UserError } from '../../nodes/PayrollPayments/shared/errors';
import { Rejected } from '../../nodes/PayrollPayments/trigger/rejected';

function asRefusal(error: unknown): UserError {
	if (error instanceof UserError) return error;
	throw error;
}

/** The error with which `act` refuses, for the user. Anything else that it throws is a defect. */
export function refusalOf(act: () => unknown): UserError {
	try {
		act();
	} catch (error) {
		return asRefusal(error);
	}
	throw new Error('nothing was refused');
}

/** The same for what happens later. */
export async function refusalFrom(attempt: Promise<unknown>): Promise<UserError> {
	return await attempt.then(() => {
		throw new Error('nothing was refused');
	}, asRefusal);
}

/** Why `act` rejects a delivery; undefined if it doesn't. */
export function rejectionOf(act: () => unknown): Rejected | undefined {
	try {
		act();
		return undefined;
	} catch (error) {
		if (error instanceof Rejected) return error;
		throw error;
	}
}
