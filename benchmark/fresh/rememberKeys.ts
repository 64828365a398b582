/* Acknowledges so many events of each trigger and prints what the claims then hold. */
import { claimsOf, eventKey } from '../../nodes/PayrollPayments/trigger/claims';

const [, , triggers = 0, history = 0, events = 0] = process.argv.map(Number);
const names = Array.from({ length: triggers }, (_, index) => `workflow:${index}`);

const held = () => {
	globalThis.gc?.();
	globalThis.gc?.();
	return process.memoryUsage().heapUsed;
};

async function acknowledgeAll(): Promise<void> {
	const before = held();
	for (let event = 0; event < events; event++) {
		for (const name of names) {
			const claim = await claimsOf(name).claim(eventKey(`event ${event} of ${name}`), history);
			claim?.settle(true);
		}
	}
	const bytes = held() - before;
	const keys = names.reduce((sum, name) => sum + claimsOf(name).size, 0);
	console.log(JSON.stringify({ bytes, keys }));
}

void acknowledgeAll();
