import { ServiceFailure } from '../failure';

/** Fails with 404 where there isn't what was asked for. */
export function found<Value>(value: Value | undefined | false, what: string): Value {
	if (value !== undefined && value !== false) return value;
	throw new ServiceFailure(404, `${what} does not exist`);
}
