import { UserError } from '../../nodes/PayrollPayments/shared/errors';

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
