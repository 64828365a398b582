import { ENDPOINTS } from '../contract/endpoints';
import type { Query } from './call';
import { balanceAnswer } from './schemas/answers';

/** docs/api.md, Endpoint 3. */
export function balanceCall(nanoid: string, currencies: Query = {}) {
	const query = { nanoid, ...currencies };
	return { ...ENDPOINTS.getBalance, query, answer: balanceAnswer };
}
