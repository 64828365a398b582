import { ENDPOINTS } from '../contract/endpoints';
import type { Query } from './call';
import { balanceAnswer, balancesAnswer } from './schemas/answers';

/** docs/api.md, Endpoint 3. */
export function balanceCall(nanoid: string, currencies: Query = {}) {
	const query = { nanoid, ...currencies };
	return { ...ENDPOINTS.getBalance, query, answer: balanceAnswer };
}

/** The same for the balances alone. */
export function balancesCall(nanoid: string) {
	return { ...balanceCall(nanoid), answer: balancesAnswer };
}
