/* Acknowledges so many events and prints what the claims of a trigger then hold. */
import { Claims, keyOf } from '../../nodes/PayrollPayments/trigger/claims';

const [, , history = 0, events = 0] = process.argv.map(Number);

const held = () => {
	globalThis.gc?.();
	return process.memoryUsage().heapUsed;
};

async function acknowledgeAll(): Promise<void> {
	const claims = new Claims();
	const before = held();
	for (let event = 0; event < events; event++) {
		const claim = await claims.claim(keyOf(`event ${event}`), history);
		claim?.settle(true);
	}
	const megabytes = (held() - before) / 1e6;
	console.log(JSON.stringify({ megabytes, held: claims.size }));
}

void acknowledgeAll();
