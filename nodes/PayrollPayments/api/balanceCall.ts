import { ENDPOINTS } from '../contract/endpoints';
import { balanceAnswer } from './schemas/answers';

type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

/** docs/api.md, Endpoint 3. */
export function balanceCall(nanoid: string, currencies: Query = {}) {
	const query = { nanoid, ...currencies };
	return { ...ENDPOINTS.getBalance, query, answer: balanceAnswer };
}
